import type { Inbox, RawObject, StoredNotification } from '../contract.ts'
import { PspError } from '../errors.ts'
import { asRecord, isStorable } from '../shared/raw-json.ts'
import { applyAcceptance, applySubmission, follow, mark, marksOf, type Shape } from './rules.ts'

/** Chargebacks that clients posted as raw data: the inbox holds the posted objects and Recoup's writes since. */

/** The type of an inbox entry. */
type Entry =
  | { kind: 'posted'; at: number; shape: Shape }
  | { kind: 'accepted'; at: Date }
  | { kind: 'submitted'; at: Date; digest: string }

/** Whether it is raw data that a client posted, or a write by Recoup. */
export function isPosted(body: string): boolean {
  const entry = parsed(body)
  return entry !== null && (entry.rawData !== undefined || entry.recoup !== undefined)
}

/** The chargeback's reference in an entry; null when it is not readable. */
export function referenceIn(body: string): string | null {
  const entry = parsed(body)
  const id = entry?.recoup === undefined ? asRecord(entry?.rawData)?.chargebackId : entry.chargebackId
  return typeof id === 'string' && id !== '' && id.length <= 255 && isStorable(id) ? id : null
}

/**
 * The current state of a posted chargeback from its entries, or null when it was never posted. Skips objects with an
 * older requestTimeStamp than the last applied one, and repetitions of the last one (client retries). A write of
 * Recoup's counts until a client posts again.
 */
export async function readPosted(inbox: Inbox | undefined, reference: string): Promise<RawObject | null> {
  if (!inbox) return null
  const rows = (await inbox.about(reference)).filter((row) => referenceIn(row.body) === reference)
  const shape = applyEntries(rows)
  return shape && { reference, text: JSON.stringify(shape) }
}

function applyEntries(rows: readonly StoredNotification[]): Shape | null {
  let shape: Shape | null = null
  let last = Number.NEGATIVE_INFINITY
  let body = ''
  for (const row of rows) {
    const entry = entryOf(row)
    if (entry?.kind === 'posted') {
      if (entry.at < last || row.body === body) continue
      last = entry.at
      body = row.body
      shape = succeeding(shape, entry.shape, new Date(entry.at))
    } else if (entry?.kind === 'accepted' && shape) applyAcceptance(shape, entry.at)
    else if (entry?.kind === 'submitted' && shape && marksOf(shape).evidenceDigest !== entry.digest) {
      applySubmission(shape, entry.digest, entry.at)
    }
  }
  return shape
}

function succeeding(before: Shape | null, posted: Shape, at: Date): Shape {
  const shape = { ...posted }
  // Marks belong to the sandbox PSP: ignore those that clients post.
  delete shape.sandbox
  if (before) follow(before, shape, at)
  else mark(shape, at, {})
  return shape
}

function entryOf({ body, receivedAt }: StoredNotification): Entry | null {
  const entry = parsed(body)
  if (!entry) return null
  const at = new Date(String(entry.at))
  if (entry.recoup === 'acceptance') return { kind: 'accepted', at }
  if (entry.recoup === 'submission') return { kind: 'submitted', at, digest: String(entry.digest) }
  const shape = asRecord(entry.rawData)
  if (!shape) return null
  const stamped = Date.parse(String(entry.requestTimeStamp))
  const psp = typeof entry.dataSource === 'string' ? { psp: entry.dataSource } : {}
  return { kind: 'posted', at: Number.isNaN(stamped) ? receivedAt.getTime() : stamped, shape: { ...shape, ...psp } }
}

/** Stores a write by Recoup with the objects that clients posted. @throws PspError invalid_request without storage */
export async function storeWrite(
  inbox: Inbox | undefined,
  answer: { recoup: 'acceptance' | 'submission'; chargebackId: string; at: Date; digest?: string },
): Promise<void> {
  if (!inbox?.note) {
    throw new PspError('invalid_request', 'Chargebacks that were posted can not be answered here: nothing keeps it.')
  }
  await inbox.note(answer.chargebackId, JSON.stringify({ ...answer, at: answer.at.toISOString() }))
}

function parsed(body: string): Record<string, unknown> | null {
  try {
    return asRecord(JSON.parse(body))
  } catch {
    return null
  }
}
