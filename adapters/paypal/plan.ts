import type { Shown } from '../../domain/evidence/texts/text-table.ts'
import type { EvidencePacket, EvidenceRequirements, SubmissionPlan } from '../shared/evidence.ts'
import { firstFree, fitTexts, leaveOut, placeFiles, planOf } from '../shared/evidence-plan.ts'
import { FULFILLMENT, ID_LENGTH, idsOf, MAX_IDS, REFUND, REST, TRACKED } from './evidence-limits.ts'

/** The steps for a packet: assign each file to a place, then submit everything in one call. */
export function planSubmission(requirements: EvidenceRequirements, packet: EvidencePacket): SubmissionPlan {
  // Only notes are cut: half a tracking number or half an address proves nothing.
  const fitted = fitTexts(requirements, packet.texts, (field) => field !== 'notes')
  leaveOut(fitted, unusable(fitted.texts))
  fitted.shortened.push(...fewer(fitted.texts))
  leaveOut(fitted, orphans(fitted.texts))
  const { placed, dropped } = placeFiles(requirements, packet.files, {
    placeOf: (file, free) => firstFree(free, [isBare(file.field, fitted.texts) ? undefined : file.field, ...REST]),
    full: 'every place for a file is taken: merge the documents into one PDF',
  })
  return planOf(placed, { ...fitted, dropped: [...fitted.dropped, ...dropped] }, ['submit'])
}

/**
 * Proof of fulfillment without tracking, and of a refund without its id, would be refused: use the type for the rest.
 */
function isBare(field: string | undefined, texts: Record<string, string>): boolean {
  if (field === REFUND) return texts.refund_ids === undefined
  return field !== undefined && TRACKED.includes(field) && texts.tracking_number === undefined
}

function unusable(texts: Record<string, string>): [string, string][] {
  return Object.keys(MAX_IDS).flatMap((field): [string, string][] => {
    if (texts[field] === undefined) return []
    const ids = idsOf(texts[field])
    if (ids.length === 0) return [[field, 'there is no number in it']]
    return ids.every((id) => id.length <= ID_LENGTH) ? [] : [[field, `a number is longer than ${ID_LENGTH} characters`]]
  })
}

/** Keeps the first ids up to PayPal's maximum, each complete. */
function fewer(texts: Record<string, string>): SubmissionPlan['shortened'] {
  return Object.entries(MAX_IDS).flatMap(([field, most]) => {
    const text = texts[field]
    const ids = idsOf(text)
    if (text === undefined || ids.length <= most) return []
    const cut = ids.slice(0, most).join(',')
    texts[field] = cut
    return [{ field, from: text.length, to: cut.length }]
  })
}

/** PayPal requires carrier and number together, and refuses an invalid URL. */
export function orphans(texts: Readonly<Record<string, string>>): [string, string][] {
  const { carrier_name: carrier, tracking_number: number, tracking_url: url } = texts
  const found: [string, string][] = []
  if (carrier !== undefined && number === undefined) found.push(['carrier_name', 'there is no tracking_number with it'])
  if (number !== undefined && carrier === undefined) found.push(['tracking_number', 'there is no carrier_name with it'])
  if (url !== undefined && (carrier === undefined || number === undefined)) {
    found.push(['tracking_url', 'there is no complete tracking with it'])
  } else if (url !== undefined && !/^https?:$/.test(URL.canParse(url) ? new URL(url).protocol : '')) {
    found.push(['tracking_url', 'it is no web address'])
  }
  return found
}

/** Types of a package's PDF, best first: the one that PayPal asks for, else by what the package proves. */
export function placesOf({ play, facts }: Shown, free: readonly string[]): string[] {
  const requested = free.filter((field) => ![FULFILLMENT, REFUND, ...REST].includes(field))
  const isTracked = facts.has('shippingTrackingNumber') && facts.has('shippingCarrier')
  return [
    ...requested,
    ...(play === 'not_received' && isTracked ? [FULFILLMENT] : []),
    ...(facts.has('refundId') ? [REFUND] : []),
  ]
}
