import { Context } from '@temporalio/activity'
import type { RawObject } from '../../../adapters/contract.ts'
import { PspError, type PspErrorKind } from '../../../adapters/errors.ts'
import { advanceCursor } from '../../../db/polling/lease.ts'
import {
  completeRereads,
  dueRereads,
  noteMissing,
  postponeDue,
  postponeRereads,
  requestedRereads,
} from '../../../db/polling/rereads.ts'
import { sealRaw } from '../psp.ts'
import type { Polling } from './leased.ts'
import { sha256 } from './pages.ts'
import { sweepStale } from './stale.ts'
import { type Stored, storeObjects } from './writing.ts'

/** Disputes read concurrently and stored together; the account's token bucket limits the rate. */
const CHUNK = 10
const CONCURRENCY = 5
/** Time of a slice for disputes that notifications named; the rest waits for the next poll. */
const DRAIN_MS = 2 * 60 * 1000
/** Due chargebacks that one slice reads. */
const SWEEP = 50

/** Kinds of errors that concern the requested dispute only, or that the list will report again. */
const ONE_DISPUTES = new Set<PspErrorKind>(['unavailable', 'outcome_unknown', 'rejected_final', 'permission_missing'])

export interface Reread extends Stored {
  /** Disputes read one by one. */
  reread: number
}

const nothing = (): Reread => ({ reread: 0, created: 0, changed: 0, quarantined: 0 })

/** Reads the disputes that notifications named, first, because they are known to have changed. */
export async function drainRereads(polling: Polling): Promise<Reread> {
  const { deps, connection } = polling
  const { integrationId } = connection
  const total = nothing()
  for (const started = Date.now(); Date.now() - started < DRAIN_MS; ) {
    const asked = await requestedRereads(deps.db, integrationId, CHUNK)
    if (asked.length === 0) break
    const { failed, missing, stored } = await readChunk(polling, references(asked))
    await note(polling, missing)
    await completeRereads(
      deps.db,
      integrationId,
      asked.filter((one) => !failed.includes(one.reference)),
    )
    await postponeRereads(deps.db, integrationId, failed)
    count(total, asked.length, stored)
    // The PSP is down: the list call will report it.
    if (failed.length === asked.length) break
  }
  return total
}

/** Reads some of the due chargebacks without a reported change; the next slice continues. */
export async function sweepDue(polling: Polling): Promise<Reread> {
  const { deps, connection, psp } = polling
  const total = nothing()
  // An inbox already holds everything; reading it again has no use.
  if (psp.definition.capabilities.listing === 'inbox') return { ...total, reread: await sweepStale(polling) }
  const due = await dueRereads(deps.db, connection.integrationId, SWEEP)
  for (let from = 0; from < due.length; from += CHUNK) {
    const chunk = due.slice(from, from + CHUNK)
    const { failed, missing, stored } = await readChunk(polling, chunk)
    await note(polling, missing)
    await postponeDue(deps.db, connection.integrationId, chunk, missing)
    count(total, chunk.length, stored)
    if (failed.length === chunk.length) break
  }
  return total
}

const references = (asked: { reference: string }[]) => asked.map((one) => one.reference)

function count(total: Reread, read: number, stored: Stored): void {
  total.reread += read
  for (const key of ['created', 'changed', 'quarantined'] as const) total[key] += stored[key]
}

/**
 * Reads each dispute and stores the results in one transaction under the lease. Throws only errors that concern all of
 * them.
 */
async function readChunk(
  polling: Polling,
  chunk: string[],
): Promise<{ failed: string[]; missing: string[]; stored: Stored }> {
  const { deps, lease, psp } = polling
  const context = Context.current()
  const readAt = deps.now()
  const items: RawObject[] = []
  const failed: string[] = []
  const missing: string[] = []
  const queue = [...chunk]
  const reader = async () => {
    for (let reference = queue.shift(); reference !== undefined; reference = queue.shift()) {
      try {
        const wanted = reference
        items.push(await psp.call((adapter) => adapter.fetchDispute(wanted)))
      } catch (error) {
        const kind = error instanceof PspError ? error.kind : null
        if (kind === 'not_found' || kind === 'invalid_request') missing.push(reference)
        // A missing permission for one dispute does not concern the credential; the list call decides that.
        else if (kind !== null && ONE_DISPUTES.has(kind)) failed.push(reference)
        else throw error
      }
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, reader))
  context.heartbeat({ reread: chunk.length })
  if (context.cancellationSignal.aborted) await context.cancelled
  if (items.length > 0) return { failed, missing, stored: await storeObjects(polling, items, readAt) }
  await advanceCursor(deps.db, lease, null)
  return { failed, missing, stored: nothing() }
}

/** The PSP does not know them: no retry, but a notice for operators. */
async function note({ deps, connection }: Polling, missing: string[]): Promise<void> {
  const { integrationId, source } = connection
  const rows = missing.map((reference) => ({
    reference,
    hash: sha256(`missing:${reference}`),
    sealed: sealRaw(deps, integrationId, { reference, text: '' }),
  }))
  await noteMissing(deps.db, integrationId, rows, {
    source,
    what: 'not found at the PSP',
    reason: 'a notification named it, and the PSP does not know it',
  })
}
