import type { Inbox, RawObject, StoredNotification } from '../contract.ts'
import { PspError } from '../errors.ts'
import { asRecord, isStorable } from '../shared/raw-json.ts'
import { applyAcceptance, applySubmission, follow, mark, marksOf, type Shape } from './rules.ts'

/** Chargebacks that clients posted as raw data: the inbox holds what was posted, and what was done about it since. */

/** What an entry of the inbox says. */
type Entry =
  | { kind: 'posted'; at: number; shape: Shape }
  | { kind: 'accepted'; at: Date }
  | { kind: 'submitted'; at: Date; digest: string }

/** Raw data that a client posted, or an answer of ours to it. */
export function isPosted(body: string): boolean {
  const entry = parsed(body)
  return entry !== null && (entry.rawData !== undefined || entry.recoup !== undefined)
}

/** The reference that an entry is about; null when none can be read. */
export function referenceIn(body: string): string | null {
  const entry = parsed(body)
  const id = entry?.recoup === undefined ? asRecord(entry?.rawData)?.chargebackId : entry.chargebackId
  return typeof id === 'string' && id !== '' && id.length <= 255 && isStorable(id) ? id : null
}

/**
 * The chargeback as it stands after everything stored about it, or null when it was never posted. What was posted with
 * an older requestTimeStamp than the last applied is passed over, and so is the last applied once more (a client that sends
 * again); an answer of ours counts until a client posts again.
 */
export async function readPosted(inbox: Inbox | undefined, reference: string): Promise<RawObject | null> {
  if (!inbox) return null
  const rows = (await inbox.about(reference)).filter((row) => referenceIn(row.body) === reference)
  const shape = fold(rows)
  return shape && { reference, text: JSON.stringify(shape) }
}

function fold(rows: readonly StoredNotification[]): Shape | null {
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
  // Marks are the sandbox PSP's own and nobody else's to write.
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

/** Keeps an answer of ours beside what was posted. @throws PspError invalid_request where nothing can be kept */
export async function keepAnswer(
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
