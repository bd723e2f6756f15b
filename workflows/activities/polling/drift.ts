import { Context } from '@temporalio/activity'
import type { RawObject } from '../../../adapters/contract.ts'
import { DEFINITE_KINDS, PspError } from '../../../adapters/errors.ts'
import { loadConnection } from '../../../db/integrations/connections.ts'
import { readStates } from '../../../db/polling/beforehand.ts'
import { counterparts, type DriftReport, type Named, recordDrift, referencesAfter } from '../../../db/polling/drift.ts'
import type { ActivityDeps } from '../deps.ts'
import { type AtPsp, connectAtPsp } from '../psp.ts'
import { translate } from './pages.ts'

/** References that a report lists; the counts are complete. */
const NAMED = 1_000
/** Chargebacks missing from the list that are read one by one. */
const CONFIRMED = 200
const SLICE = 5_000
const DAY_MS = 86_400_000
const definite: readonly string[] = DEFINITE_KINDS

/** Counts that may appear in a workflow history. */
export type DriftCounts = Record<'atPsp' | 'here' | 'missingHere' | 'missingAtPsp' | 'differing', number>

/**
 * Reads the PSP's complete list, independently of polls and their cursor, and compares it with the stored chargebacks.
 * Writes only its report.
 */
export async function compareWithPsp(
  deps: ActivityDeps,
  input: { integrationId: string },
): Promise<DriftCounts | { error: string }> {
  const { integrationId } = input
  const connection = await loadConnection(deps.db, integrationId)
  if (connection?.status !== 'SUCCESSFUL') return fail(deps, integrationId, 'the integration is not verified')
  try {
    const psp = connectAtPsp(deps, connection, { priority: 'poll', signal: Context.current().cancellationSignal })
    const report = await compare(deps, integrationId, psp)
    await recordDrift(deps.db, integrationId, { report })
    const { atPsp, here, missingHere, missingAtPsp, differing } = report
    return {
      atPsp,
      here,
      missingHere: missingHere.count,
      missingAtPsp: missingAtPsp.count,
      differing: differing.count,
    }
  } catch (error) {
    if (error instanceof PspError && definite.includes(error.kind)) return fail(deps, integrationId, error.message)
    throw error
  }
}

async function fail(deps: ActivityDeps, integrationId: string, error: string): Promise<{ error: string }> {
  await recordDrift(deps.db, integrationId, { error })
  return { error }
}

async function compare(deps: ActivityDeps, integrationId: string, psp: AtPsp): Promise<DriftReport> {
  const comparedAt = deps.now()
  const seen = new Set<string>()
  const missing = new Set<string>()
  const differing = named()
  const quarantined = named()
  for await (const items of pagesOf(deps, integrationId, psp)) {
    const byReference = new Map(items.flatMap((raw) => (raw.reference === null ? [] : [[raw.reference, raw] as const])))
    const fresh = [...byReference.keys()].filter((reference) => !seen.has(reference))
    for (const reference of fresh) seen.add(reference)
    for (const here of await counterparts(deps.db, integrationId, fresh)) {
      const raw = byReference.get(here.reference) as RawObject
      if (here.quarantined) add(quarantined, here.reference)
      else if (!here.known) missing.add(here.reference)
      else if (differs(psp, raw, here)) add(differing, here.reference)
    }
  }
  const since = new Date(comparedAt.getTime() - psp.definition.capabilities.maxLookbackDays * DAY_MS)
  const { here, absent, unconfirmed } = await onlyHere(deps, integrationId, psp, seen, since)
  return {
    source: psp.definition.source,
    comparedAt: comparedAt.toISOString(),
    atPsp: seen.size,
    here,
    missingHere: await stillMissing(deps, integrationId, [...missing]),
    missingAtPsp: absent,
    differing,
    quarantined,
    unconfirmed,
  }
}

/** The PSP's list from its earliest date. */
async function* pagesOf(deps: ActivityDeps, integrationId: string, { call, definition }: AtPsp) {
  const oldestOpen = (await readStates(deps.db, [integrationId]))[0]?.oldestOpen ?? null
  let cursor: unknown = definition.cursor.initial(deps.now())
  for (let hasMore = true; hasMore; ) {
    const page = await call((adapter) => adapter.listDisputes({ cursor, oldestOpen }))
    Context.current().heartbeat()
    if (Context.current().cancellationSignal.aborted) await Context.current().cancelled
    yield page.items
    ;({ cursor, hasMore } = page)
  }
}

function differs({ definition }: AtPsp, raw: RawObject, here: Awaited<ReturnType<typeof counterparts>>[number]) {
  const translation = translate(definition, raw)
  if (translation.kind !== 'chargeback') return true
  const { pspStatus, lifecycleStage, amountMinor } = translation.facts
  return pspStatus !== here.pspStatus || lifecycleStage !== here.lifecycleStage || amountMinor !== here.amountMinor
}

/** A poll may have stored some meanwhile. */
async function stillMissing(deps: ActivityDeps, integrationId: string, references: string[]): Promise<Named> {
  const found = named()
  for (let from = 0; from < references.length; from += SLICE)
    for (const { reference, known } of await counterparts(deps.db, integrationId, references.slice(from, from + SLICE)))
      if (!known) add(found, reference)
  return found
}

/** Chargebacks missing from the list. A list may omit old or decided disputes, so each is read. */
async function onlyHere(
  deps: ActivityDeps,
  integrationId: string,
  psp: AtPsp,
  seen: ReadonlySet<string>,
  since: Date,
): Promise<{ here: number; absent: Named; unconfirmed: number }> {
  const absent = named()
  let here = 0
  let unconfirmed = 0
  let asked = 0
  for (let after = ''; ; ) {
    const slice = await referencesAfter(deps.db, integrationId, after, since, SLICE)
    here += slice.length
    for (const reference of slice) {
      if (seen.has(reference)) continue
      if (++asked > CONFIRMED) unconfirmed++
      else if (!(await isThere(psp, reference))) add(absent, reference)
    }
    after = slice.at(-1) ?? after
    if (slice.length < SLICE) return { here, absent, unconfirmed }
  }
}

async function isThere({ call }: AtPsp, reference: string): Promise<boolean> {
  Context.current().heartbeat()
  try {
    await call((adapter) => adapter.fetchDispute(reference))
    return true
  } catch (error) {
    if (error instanceof PspError && error.kind === 'not_found') return false
    throw error
  }
}

const named = (): Named => ({ count: 0, references: [] })

function add(to: Named, reference: string): void {
  to.count++
  if (to.references.length < NAMED) to.references.push(reference)
}
