import type { DataPoints } from '../data-points.ts'

/**
 * Texts for the fields that a dispute takes, from what the client has told about the purchase. A data point that is named
 * like a field goes there (`shippingTrackingNumber` into `shipping_tracking_number`), else the first known of those that
 * the PSP's adapter says mean the same. Nothing is made up: a field that nothing is known for stays empty.
 * @param sources field → names of data points, best first
 */
export function evidenceTexts(
  points: DataPoints,
  fields: readonly string[],
  sources: Readonly<Record<string, readonly string[]>> = {},
): Record<string, string> {
  const known = { ...points, ...addressOf(points) }
  const byName = new Map(Object.entries(points).map(([name, value]) => [canonical(name), value]))
  const texts: Record<string, string> = {}
  for (const field of fields) {
    const candidates = [byName.get(canonical(field)), ...(sources[field] ?? []).map((name) => known[name])]
    const text = candidates.map(textOf).find((value) => value !== null)
    if (text) texts[field] = text
  }
  return texts
}

const canonical = (name: string) => name.replace(/[^A-Za-z0-9]/g, '').toLowerCase()

function textOf(value: unknown): string | null {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return typeof value === 'string' && value.trim() !== '' ? value : null
}

/** The address in one text, where the client gave its parts. */
function addressOf(points: DataPoints): DataPoints {
  if (textOf(points.transactionShippingToFullShippingAddress)) return {}
  const parts = ['AddressLine1', 'AddressLine2', 'State', 'ZipCode'].map((part) =>
    textOf(points[`transactionShippingTo${part}`]),
  )
  const whole = parts.filter((part) => part !== null).join(', ')
  return parts[0] ? { transactionShippingToFullShippingAddress: whole } : {}
}
