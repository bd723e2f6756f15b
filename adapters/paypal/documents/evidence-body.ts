import type { SubmissionRequest } from '../../contract.ts'
import { PspError } from '../../errors.ts'
import { at } from '../../shared/facts.ts'
import {
  EVIDENCE_LIMITS,
  FULFILLMENT,
  idsOf,
  REFUND,
  REST,
  type Route,
  requestedOf,
  requestedTypes,
  TRACKED,
} from '../evidence-limits.ts'
import { type Body, jsonBody, multipartBody, type Part } from '../sdk/multipart.ts'
import { carrierOf } from './carriers.ts'

/** The mark in file names and notes of Recoup's submissions, which later reads recognise. */
export function markOf(digest: string): string {
  return `recoup-${digest.slice(0, 24)}`
}

interface Evidence {
  evidence_type: string
  notes?: string
  item_id?: string
  documents?: { name: string }[]
  evidence_info?: { tracking_info?: object[]; refund_ids?: string[] }
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  'application/pdf': 'pdf',
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/gif': 'gif',
}

/** The single submission call. @throws PspError invalid_request for files that PayPal would refuse */
export function submissionBody(route: Route, dispute: unknown, request: SubmissionRequest): Body {
  const parts = partsOf(request)
  const notes = notesOf(request)
  const files = parts.map(({ part }) => part)
  if (route === 'provide-supporting-info')
    return files.length === 0 ? jsonBody({ notes }) : multipartBody({ notes }, files)
  return multipartBody({ evidences: evidencesOf(dispute, request.texts, parts, notes) }, files)
}

function notesOf({ texts, digest }: SubmissionRequest): string {
  return `${texts.notes ?? 'Evidence of the merchant.'}\n\nReference: ${markOf(digest)}`
}

function partsOf({ documents = {}, digest }: SubmissionRequest): { type: string; part: Part }[] {
  const entries = Object.entries(documents).sort(([a], [b]) => (a < b ? -1 : 1))
  let bytes = 0
  return entries.map(([field, { type, data }], index) => {
    const extension = EXTENSIONS[type]
    bytes += data.byteLength
    if (
      extension === undefined ||
      data.byteLength > EVIDENCE_LIMITS.maxFileBytes ||
      bytes > EVIDENCE_LIMITS.maxTotalBytes
    ) {
      throw new PspError(
        'invalid_request',
        'PayPal takes PDF, JPEG, PNG and GIF files below 10 MB each and 50 MB in all as evidence.',
      )
    }
    // PayPal refuses names with several dots or another suffix; the merchant's file name may contain anything.
    const name = `${markOf(digest)}-${index + 1}.${extension}`
    return { type: REST.includes(field) ? 'OTHER' : field, part: { name, type, data } }
  })
}

function evidencesOf(
  dispute: unknown,
  texts: Record<string, string>,
  parts: readonly { type: string; part: Part }[],
  notes: string,
): Evidence[] {
  const byType = new Map<string, Evidence>()
  const evidence = (type: string): Evidence => {
    const known = byType.get(type) ?? { evidence_type: type }
    byType.set(type, known)
    return known
  }
  const tracking = trackingOf(texts)
  if (tracking !== null) {
    const types = new Set(parts.map(({ type }) => type).filter((type) => TRACKED.includes(type)))
    if (types.size === 0) types.add(requestedTypes(dispute).find((type) => TRACKED.includes(type)) ?? FULFILLMENT)
    for (const type of types) evidence(type).evidence_info = { tracking_info: tracking }
  }
  const refunds = idsOf(texts.refund_ids)
  if (refunds.length > 0) evidence(REFUND).evidence_info = { refund_ids: refunds }
  for (const { type, part } of parts) {
    const target = evidence(type)
    target.documents = [...(target.documents ?? []), { name: part.name }]
  }
  if (byType.size === 0) evidence(plainType(dispute))
  return numbered(dispute, [...byType.values()], notes)
}

/**
 * Several pieces of evidence need an item each; without tracking or refund ids everything is one piece, of the first
 * type.
 */
function numbered(dispute: unknown, pieces: Evidence[], notes: string): Evidence[] {
  const items = pieces.map((piece) => itemOf(dispute, piece.evidence_type))
  if (pieces.length > 1 && items.every((item) => item !== null)) {
    return pieces.map((piece, index) => ({ ...piece, item_id: items[index] as string, ...(index === 0 && { notes }) }))
  }
  const [first = { evidence_type: 'OTHER' }] = pieces
  const documents = pieces.flatMap((piece) => piece.documents ?? [])
  const info = Object.assign({}, ...pieces.map((piece) => piece.evidence_info ?? {})) as object
  return [
    {
      evidence_type: first.evidence_type,
      notes,
      ...(items[0] !== null && items[0] !== undefined && { item_id: items[0] }),
      ...(documents.length > 0 && { documents }),
      ...(Object.keys(info).length > 0 && { evidence_info: info }),
    },
  ]
}

/** The type that PayPal requests, if text and documents are sufficient for it. */
function plainType(dispute: unknown): string {
  const needy = [FULFILLMENT, REFUND, 'PROOF_OF_RETURN']
  return requestedTypes(dispute).find((type) => !needy.includes(type)) ?? 'OTHER'
}

function trackingOf(texts: Record<string, string>): object[] | null {
  const { carrier_name: carrier, tracking_number: numbers, tracking_url: url } = texts
  if (carrier === undefined || numbers === undefined) return null
  return idsOf(numbers).map((number) => ({
    ...carrierOf(carrier),
    tracking_number: number,
    ...(url !== undefined && { tracking_url: url }),
  }))
}

function itemOf(dispute: unknown, type: string): string | null {
  const asked = requestedOf(dispute).find((entry) => entry.evidence_type === type && entry.item_id !== undefined)
  const id = asked?.item_id ?? at(dispute, 'disputed_transactions.0.items.0.item_id')
  return typeof id === 'string' && /^[A-Za-z0-9]{1,255}$/.test(id) ? id : null
}
