import { type DataPoints, presentDataPoints } from '../data-points.ts'

export const DATA_POINT_SOURCES = ['client', 'transaction', 'psp'] as const
export type DataPointSource = (typeof DATA_POINT_SOURCES)[number]

/** A stored value: `faultOfDataPoint` refuses null. */
export type DataValue = string | number | boolean | unknown[] | Record<string, unknown>

export interface KnownDataPoint {
  name: string
  source: DataPointSource
  /** Undefined for the PSP's context, which is kept as names. */
  value?: DataValue | undefined
}

/**
 * What is known about a chargeback, by name. A client's data points override joined transactions, later records override
 * earlier ones, and both override the PSP's context.
 */
export function knownDataPoints(data: {
  contextPoints: readonly string[]
  records: readonly { fields: DataPoints; names: readonly string[] }[]
  client: { points: DataPoints } | null
}): KnownDataPoint[] {
  const known = new Map<string, KnownDataPoint>()
  for (const name of data.contextPoints) known.set(name, { name, source: 'psp' })
  for (const { fields, names } of data.records)
    for (const name of names) known.set(name, { name, source: 'transaction', value: fields[name] as DataValue })
  const points = data.client?.points ?? {}
  for (const name of presentDataPoints(points))
    known.set(name, { name, source: 'client', value: points[name] as DataValue })
  return [...known.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
}
