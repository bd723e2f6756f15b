import type { RawObject } from '../contract.ts'
import { PspError } from '../errors.ts'
import { listAt } from '../shared/facts.ts'
import { asRecord } from '../shared/raw-json.ts'
import { canonicalText } from './canonical.ts'
import type { BraintreeClient } from './client.ts'
import { noResponse } from './errors.ts'
import { OPEN } from './vocabulary.ts'

/** One piece of evidence at Braintree: a text (`comment`) or a document (`url`). */
export interface EvidenceEntry {
  id: string
  category: string | null
  comment: string | null
  url: string | null
  createdAt: string | null
  /** Day on which it was sent to the processor; null before that. */
  sentToProcessorAt: string | null
}

/** The current state of a dispute; also read before and after each write. */
export interface ReadDispute {
  raw: RawObject
  status: string
  /** Statuses since it was last opened, oldest first. */
  history: string[]
  /** Without evidence that was sent before it was reopened. */
  evidence: EvidenceEntry[]
}

/** @throws PspError invalid_request for an invalid id, which the SDK would report as "not found" without a call. */
export function guardReference(reference: string): string {
  if (!/^[A-Za-z0-9_-]+$/.test(reference)) {
    throw new PspError('invalid_request', 'A Braintree dispute id has letters, digits, - and _ only.')
  }
  return reference
}

/**
 * Reads a dispute. Merchants may share a gateway and its key pair: with codes given, a dispute of another merchant
 * account is treated as missing. Codes are compared case-insensitively, as the list's filter does.
 * @throws PspError not_found, or of any other kind that a read has
 */
export async function readDispute(client: BraintreeClient, reference: string): Promise<ReadDispute> {
  guardReference(reference)
  const { dispute } = await client.read((gateway) => gateway.dispute.find(reference))
  const record = asRecord(dispute)
  if (record?.id !== reference) throw noResponse('read')
  if (!isOfAccounts(client.merchantAccountCodes, record.merchantAccountId)) {
    throw new PspError('not_found', 'The dispute is not of the merchant accounts of this integration.')
  }
  const course = courseOf(record)
  const evidence = listAt(record, 'evidence').map(({ id, category, comment, url, createdAt, sentToProcessorAt }) => ({
    id: String(id),
    category: wordOf(category),
    comment: wordOf(comment),
    url: wordOf(url),
    createdAt: wordOf(createdAt),
    sentToProcessorAt: wordOf(sentToProcessorAt),
  }))
  return {
    raw: { reference, text: canonicalText(record) },
    status: String(record.status),
    history: course.history,
    evidence: evidence.filter((entry) => !wasSentBefore(entry, course)),
  }
}

interface Course {
  history: string[]
  /** When it was last opened. Empty if it was opened once. */
  since: string
  /** When an earlier opening was last answered. Empty if none was. */
  answered: string
}

/** Statuses that follow from finalizing a dispute. */
const ANSWERED = ['disputed', 'under_review', 'won']

/** The history is unordered. A reopened dispute has separate evidence for each opening. */
function courseOf(record: Record<string, unknown>): Course {
  const entries = listAt(record, 'statusHistory')
  const [status, time] = [(entry: Record<string, unknown>) => String(entry.status), wordOfTime]
  if (entries.filter((entry) => status(entry) === OPEN).length < 2)
    return { history: entries.map(status), since: '', answered: '' }
  const ordered = entries.toSorted((a, b) => (time(a) < time(b) ? -1 : 1))
  const last = ordered.findLastIndex((entry) => status(entry) === OPEN)
  const answer = ordered.slice(0, last).findLast((entry) => ANSWERED.includes(status(entry)))
  return {
    history: ordered.slice(last).map(status),
    since: time(ordered[last] ?? {}),
    answered: answer ? time(answer) : '',
  }
}

const DAY_MS = 86_400_000

/**
 * Whether an entry was sent before the dispute was last opened. An entry can be attached before that and sent after it.
 * It was sent before if an earlier opening was answered after the entry was attached, or if its day of sending is at
 * least two days before: Braintree gives a day only, in an undocumented time zone.
 */
function wasSentBefore({ createdAt, sentToProcessorAt }: EvidenceEntry, { since, answered }: Course): boolean {
  if (sentToProcessorAt === null || createdAt === null || createdAt >= since) return false
  return createdAt <= answered || Date.parse(sentToProcessorAt) + 2 * DAY_MS <= Date.parse(since)
}

function wordOfTime({ timestamp }: Record<string, unknown>): string {
  return wordOf(timestamp) ?? ''
}

/** Whether a merchant account is among an integration's codes; true without codes. */
export function isOfAccounts(codes: readonly string[], account: unknown): boolean {
  const wanted = String(account).toLowerCase()
  return codes.length === 0 || codes.some((code) => code.toLowerCase() === wanted)
}

function wordOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}
