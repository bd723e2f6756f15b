import { Context } from '@temporalio/activity'
import type { AdapterDefinition, RawObject } from '../../../adapters/contract.ts'
import { PspError } from '../../../adapters/errors.ts'
import { type ClosedCasesOf, closedCasesOf } from '../../../db/chargebacks/closed-cases.ts'
import { withoutErased } from '../../../db/erasure/kept-texts.ts'
import { type Connection, loadConnection } from '../../../db/integrations/connections.ts'
import {
  type ContextColumns,
  findWithoutContext,
  postponeContext,
  type WithoutContext,
  writeContexts,
} from '../../../db/polling/enrichment.ts'
import type {
  CardScheme,
  LifecycleStage,
  PaymentMethod,
  PspStatus,
  TransactionFacts,
} from '../../../domain/chargeback.ts'
import { decideChargeback, storedScope } from '../../../domain/decision.ts'
import { presentFacts } from '../../../domain/enrichment.ts'
import { reasonGroupOf } from '../../../domain/reason-codes.ts'
import type { ActivityDeps } from '../deps.ts'
import { isDatabaseError, refusedAsData } from '../failures.ts'
import { connectAtPsp, openRaw } from '../psp.ts'

/** Transactions per slice; stored together. */
const SLICE = 25
/** Concurrent calls within a slice; the account's token bucket limits the rate. */
const CONCURRENCY = 5

/** Reads the transactions of chargebacks without one. A transaction that can't be read delays only itself. */
export async function enrichChargebacks(
  deps: ActivityDeps,
  input: { integrationId: string },
): Promise<{ enriched: number; postponed: number; done: boolean }> {
  const context = Context.current()
  const connection = await loadConnection(deps.db, input.integrationId)
  if (connection?.status !== 'SUCCESSFUL') return { enriched: 0, postponed: 0, done: true }
  const psp = connectAtPsp(deps, connection, { priority: 'poll', signal: context.cancellationSignal })
  const waiting = await findWithoutContext(deps.db, input.integrationId, SLICE)
  const found: { chargeback: WithoutContext; raw: RawObject; facts: TransactionFacts }[] = []
  const nothing: WithoutContext[] = []
  let limited = false
  const queue = [...waiting]
  const reader = async () => {
    for (let one = queue.shift(); one && !limited; one = queue.shift()) {
      try {
        const dispute = openRaw(deps, input.integrationId, one.reference, one.sealed)
        const raw = await psp.call(async (adapter) => (await adapter.fetchContext?.(dispute)) ?? null)
        const facts = raw && factsOf(psp.definition, raw)
        if (raw && facts) found.push({ chargeback: one, raw, facts })
        else nothing.push(one)
      } catch (error) {
        if (concernsAll(error) || context.cancellationSignal.aborted) throw error
        if (error instanceof PspError && error.kind === 'rate_limited') limited = true
        else nothing.push(one)
      }
      context.heartbeat({ read: found.length + nothing.length })
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, reader))
  const closedCases = await closedCasesOf(deps.db, connection)
  const texts = found.map(({ chargeback, raw }) => ({ references: [chargeback.reference], text: raw.text }))
  const left = await withoutErased(deps.db, deps.ring, input.integrationId, texts)
  const columns: ContextColumns[] = []
  const raws: { reference: string; text: string }[] = []
  for (const [index, { chargeback, raw, facts }] of found.entries()) {
    const text = left[index] ?? raw.text
    const known = text === raw.text ? facts : factsOf(psp.definition, { ...raw, text })
    if (known) {
      columns.push(contextColumns(deps, connection, closedCases, chargeback, known))
      raws.push({ reference: chargeback.reference, text })
    } else nothing.push(chargeback)
  }
  const write = (contexts: ContextColumns[], raw: typeof raws) =>
    writeContexts(deps.db, deps.ring, input.integrationId, {
      ...{ contexts, raw, source: connection.source, rulesVersion: connection.rulesVersion, now: deps.now() },
    })
  const { enriched, refused } = await writtenOrAlone(columns, raws, write)
  nothing.push(...waiting.filter(({ id }) => refused.includes(id)))
  await postponeContext(deps.db, nothing)
  return {
    enriched,
    postponed: nothing.length,
    done: limited || waiting.length < SLICE || enriched + nothing.length === 0,
  }
}

/** Null for a transaction that the adapter can't read, or fails on. */
function factsOf(definition: AdapterDefinition, raw: RawObject): TransactionFacts | null {
  try {
    return definition.toTransaction?.(raw) ?? null
  } catch {
    return null
  }
}

/** Errors that concern the whole account; any other concerns one transaction. */
const concernsAll = (error: unknown) =>
  error instanceof PspError ? error.kind === 'auth_failed' : isDatabaseError(error)

/**
 * A transaction that the database rejects as data must not affect those stored with it. @returns ids of rejected ones
 */
async function writtenOrAlone<Raw>(
  columns: ContextColumns[],
  raws: Raw[],
  write: (columns: ContextColumns[], raws: Raw[]) => Promise<number>,
): Promise<{ enriched: number; refused: string[] }> {
  try {
    return { enriched: await write(columns, raws), refused: [] }
  } catch (error) {
    if (!refusedAsData(error)) throw error
    const [only] = columns
    if (only && columns.length === 1) return { enriched: 0, refused: [only.id] }
  }
  const total = { enriched: 0, refused: [] as string[] }
  for (const [index, one] of columns.entries()) {
    const { enriched, refused } = await writtenOrAlone([one], raws.slice(index, index + 1), write)
    total.enriched += enriched
    total.refused.push(...refused)
  }
  return total
}

function contextColumns(
  deps: ActivityDeps,
  connection: Connection,
  closedCases: ClosedCasesOf,
  chargeback: WithoutContext,
  facts: TransactionFacts,
): ContextColumns {
  const points = Object.keys(facts.dataPoints)
  const present = [...new Set([...chargeback.present, ...chargeback.dataPoints, ...points, ...presentFacts(facts)])]
  const cardScheme = (chargeback.cardScheme as CardScheme | null) ?? facts.cardScheme
  const reasonGroup = reasonGroupOf({ cardScheme, reasonCode: chargeback.reasonCode, reason: chargeback.reason })
  const subject = {
    ...chargeback,
    cardScheme,
    paymentMethod: facts.paymentMethod ?? (chargeback.paymentMethod as PaymentMethod | null),
    reasonGroup,
    pspStatus: chargeback.pspStatus as PspStatus,
    lifecycleStage: chargeback.lifecycleStage as LifecycleStage,
    present,
    closedCases: closedCases(reasonGroup),
  }
  const decided = decideChargeback(connection, subject, chargeback, deps.now())
  return {
    id: chargeback.id,
    version: String(chargeback.version),
    transaction_id: facts.transactionId,
    transaction_created_date: facts.transactionCreatedDate,
    arn: facts.arn,
    card_scheme: facts.cardScheme,
    payment_method: facts.paymentMethod,
    bin: facts.bin,
    card_last_four_digits: facts.cardLastFourDigits,
    billing_country: facts.billingCountry,
    context_points: points,
    enrichment_ratio: decided.enrichmentRatio,
    reason_group: reasonGroup,
    status: decided.status,
    status_reason: decided.reason,
    win_probability: decided.winProbability,
    roi_recommendation: decided.recommendation,
    scope_decision: storedScope(decided.scope),
  }
}
