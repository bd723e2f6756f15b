import type { DisputePage, ListRequest, RawObject } from '../contract.ts'
import { prefetched } from '../shared/prefetched.ts'
import { isStorable, sliceJson, sliceMember } from '../shared/raw-json.ts'
import type { SandboxClient } from './client.ts'
import { requireValidCredential } from './credentials.ts'
import { closeReading, openReading, type SandboxCursor } from './cursor.ts'
import { noResponse } from './errors.ts'
import type { Sandbox } from './fetch.ts'
import { isPosted, readPosted, referenceIn } from './inbox.ts'

export const PAGE_SIZE = 100

/**
 * The next page: first new posted objects, then changes at the sandbox PSP, oldest first. Posted objects are returned
 * before a failure of the sandbox PSP, which the next call meets.
 * @throws PspError of any kind that a read has
 */
export async function listDisputes(
  sandbox: Sandbox,
  { cursor }: ListRequest<SandboxCursor>,
): Promise<DisputePage<SandboxCursor>> {
  if (sandbox.client === null) requireValidCredential(sandbox.secret)
  const posted = await readInbox(sandbox, cursor.posted)
  const beyond = { ...cursor, posted: posted.position }
  if (posted.hasMore || sandbox.client === null) return { items: posted.items, cursor: beyond, hasMore: posted.hasMore }
  try {
    const page = await readFeed(sandbox.client, openReading(beyond, sandbox.now()))
    return { ...page, items: [...posted.items, ...page.items] }
  } catch (error) {
    if (posted.items.length === 0) throw error
    return { items: posted.items, cursor: beyond, hasMore: true }
  }
}

/** Each posted chargeback once, in its current state. */
async function readInbox({ inbox }: Sandbox, after: string | null) {
  const rows = (await inbox?.read(after, PAGE_SIZE)) ?? []
  const named = rows.flatMap(({ body }) => (isPosted(body) ? (referenceIn(body) ?? []) : []))
  const near = inbox && (await prefetched(inbox, named))
  const items: RawObject[] = []
  const seen = new Set<string>()
  for (const { body } of rows) {
    // A notification of the sandbox PSP is a hint to read again, not a posted object.
    if (!isPosted(body)) continue
    const reference = referenceIn(body)
    if (reference !== null && seen.has(reference)) continue
    const raw = reference === null ? null : await readPosted(near, reference)
    // Entries without a chargeback id are returned unchanged: `toChargeback` gives the error.
    items.push(raw ?? { reference, text: sliceMember(body, 'rawData') ?? body })
    if (reference !== null) seen.add(reference)
  }
  return { items, position: rows.at(-1)?.position ?? after, hasMore: rows.length === PAGE_SIZE }
}

async function readFeed(client: SandboxClient, reading: SandboxCursor): Promise<DisputePage<SandboxCursor>> {
  const { value, text } = await client.read(`/chargebacks?after=${reading.after}&limit=${PAGE_SIZE}`)
  const rows = sliceJson(text, 'items')
  if (rows === null) throw noResponse('read')
  const items = rows.map(itemOf)
  const last = items.at(-1)?.position ?? reading.after
  const hasMore = value.hasMore === true
  // "More" without an item to continue from would never end.
  if (!Number.isSafeInteger(last) || last < reading.after || (hasMore && last === reading.after)) {
    throw noResponse('read')
  }
  const next = { ...reading, after: last }
  return { items: items.map((item) => item.raw), cursor: hasMore ? next : closeReading(next), hasMore }
}

function itemOf(row: string): { position: number; raw: RawObject } {
  const text = sliceMember(row, 'chargeback')
  const position = Number(sliceMember(row, 'position') ?? Number.NaN)
  if (text === null) throw noResponse('read')
  const id = (JSON.parse(text) as { chargebackId?: unknown } | null)?.chargebackId
  const usable = typeof id === 'string' && id !== '' && id.length <= 255 && isStorable(id)
  return { position, raw: { reference: usable ? id : null, text } }
}
