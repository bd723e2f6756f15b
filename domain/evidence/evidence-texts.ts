import type { DataPoints } from '../data-points.ts'

/**
 * Texts for a dispute's fields, from the client's data about the purchase. A data point with a field's name goes to
 * that field (`shippingTrackingNumber` into `shipping_tracking_number`), else the first known equivalent of the PSP's
 * adapter. A field without data stays empty.
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

/** A name without separators and case. */
export const canonical = (name: string) => name.replace(/[^A-Za-z0-9]/g, '').toLowerCase()

/** A data point as text; null for a list, an object, or nothing. */
export function textOf(value: unknown): string | null {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return typeof value === 'string' && value.trim() !== '' ? value : null
}

/** The address as one text, if the client sent its parts. */
function addressOf(points: DataPoints): DataPoints {
  if (textOf(points.transactionShippingToFullShippingAddress)) return {}
  const parts = ['AddressLine1', 'AddressLine2', 'State', 'ZipCode'].map((part) =>
    textOf(points[`transactionShippingTo${part}`]),
  )
  const whole = parts.filter((part) => part !== null).join(', ')
  return parts[0] ? { transactionShippingToFullShippingAddress: whole } : {}
}
