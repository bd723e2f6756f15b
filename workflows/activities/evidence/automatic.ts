import { Context } from '@temporalio/activity'
import { lockForCommand } from '../../../db/commands/command-requests.ts'
import { Refusal } from '../../../db/core/refusal.ts'
import { requestSubmission } from '../../../db/evidence/evidence-submissions.ts'
import {
  type AutomaticCase,
  type AutomaticPlace,
  automaticCases,
  longestAutomaticHours,
  readAutomaticCase,
  tellBlocked,
} from '../../../db/packages/automatic.ts'
import { answerStages } from '../../../domain/evidence/answer-stages.ts'
import { automaticHorizonHours, automaticTimes } from '../../../domain/evidence/package/automatic-policy.ts'
import { type Blocker, blockersOf, isPassing } from '../../../domain/evidence/package/blockers.ts'
import type { SecretType, Source } from '../../../domain/integration.ts'
import { dispatchNow } from '../../starters/dispatch.ts'
import type { ActivityDeps } from '../deps.ts'

/** Blocked chargebacks are read again by each run: cheap rows, in slices of so many. */
const SLICE = 100

/**
 * Submits the packages whose time has come, by the policy of their account or merchant, and reports those that something
 * prevents. @returns how many were submitted or told
 */
export async function submitAutomatically(deps: ActivityDeps): Promise<number> {
  const longest = await longestAutomaticHours(deps.db)
  if (longest === null) return 0
  const hours = Math.ceil(Math.max(automaticHorizonHours(longest), automaticHorizonHours(longest, 'braintree')))
  let done = 0
  for (let after: AutomaticPlace | null = null; ; ) {
    const found: AutomaticCase[] = await automaticCases(deps.db, { now: deps.now(), hours, after, limit: SLICE })
    for (const one of found) if (await decide(deps, one)) done++
    Context.current().heartbeat({ done })
    const last = found.at(-1)
    if (found.length < SLICE || !last?.dueText) return done
    after = { dueText: last.dueText, chargebackId: last.chargebackId }
  }
}

async function decide(deps: ActivityDeps, one: AutomaticCase): Promise<boolean> {
  const now = deps.now()
  const times = automaticTimes({ id: one.chargebackId, psp: one.psp, dueDate: one.facts.dueDate }, one.policy)
  if (!times || now < times.toldAt) return false
  const blockedBy = blockersHere(deps, one, now)
  const isDue = now >= times.submittedAt
  if (blockedBy.length === 0) return isDue && (await submit(deps, one))
  // Until its time has come, a package may still be built.
  if (!isDue && isPassing(blockedBy, one.facts)) return false
  const told = await tellBlocked(deps.db, one, { blockedBy, at: times.submittedAt.toISOString() })
  if (told) for (const code of blockedBy) deps.blocked?.(code)
  return told
}

const stagesOf = (deps: ActivityDeps) => (source: Source, secretType: SecretType) =>
  answerStages(deps.adapterFor(source, secretType)?.capabilities.contest)

const blockersHere = (deps: ActivityDeps, { facts, policy, source, secretType }: AutomaticCase, now: Date): Blocker[] =>
  blockersOf(facts, policy, stagesOf(deps)(source, secretType), now)

/**
 * The same request as a client's, without a credential. Decides again under the lock that clients take: what they did at the
 * same instant counts.
 */
async function submit(deps: ActivityDeps, { chargebackId, merchantUuid }: AutomaticCase): Promise<boolean> {
  const asked = { chargebackId, merchantUuid, now: deps.now() }
  const outboxId = await deps.db
    .transaction()
    .execute(async (trx) => {
      await lockForCommand(trx, asked)
      const one = await readAutomaticCase(trx, asked)
      if (!one?.fileId || blockersHere(deps, one, asked.now).length > 0) return null
      const { fileId } = one
      const request = { ...asked, fileId, credentialId: null, contestStages: stagesOf(deps) }
      return (await requestSubmission(trx, request)).outboxId
    })
    .catch((error) => {
      // Such as an answer through another connection to the same account.
      if (!(error instanceof Refusal)) throw error
      deps.log.warn({ chargebackId, reason: error.code }, 'automatic submission refused')
      return null
    })
  if (outboxId === null) return false
  await dispatchNow(deps, outboxId)
  return true
}
