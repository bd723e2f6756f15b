/** What a figure is read from. On a loud machine wall time proves nothing; processor time and counts do. */
export type Clock = 'wall' | 'cpu' | 'count'

export interface Metric {
  /** `<benchmark>.<figure>`: gates.json refers to it. */
  name: string
  unit: string
  clock: Clock
  /** One value per pair. */
  ours: number[]
  /** The values of the peer or baseline in the same pairs; null = Recoup alone. */
  anchor: { name: string; values: number[] } | null
  /** The ratio is anchor ÷ ours instead of ours ÷ anchor. */
  inverse?: boolean
}

/** A metric as one line of JSON. `ours` and `anchor` are medians; the ratios are those of the pairs. */
export interface MetricLine {
  name: string
  unit: string
  clock: Clock
  ours: number
  ours_min: number
  ours_max: number
  pairs: number
  beside?: string
  anchor?: number
  ratio_median?: number
  ratio_min?: number
  ratio_max?: number
  /** Pairs that began while other processes used the machine. */
  loud_pairs?: number
}

/** What was not measured, and the rows that stay unproven without it. */
export interface SkipLine {
  name: string
  skipped: string
  rows: string[]
}

/** Where, when and how a benchmark ran; its name is `<benchmark>.run`. */
export interface RunLine {
  name: string
  quick: boolean
  load_before: number
  load_after: number
  [fact: string]: unknown
}

export type Line = MetricLine | SkipLine | RunLine

export const isSkip = (line: Line): line is SkipLine => 'skipped' in line
export const isMetric = (line: Line): line is MetricLine => 'ours' in line

/** @throws when nothing was measured, or a pair lacks a side */
export function toLine(metric: Metric, loudPairs: number): MetricLine {
  const { name, unit, clock, ours, anchor, inverse = false } = metric
  if (ours.length === 0) throw new Error(`${name} has no values`)
  const line: MetricLine = {
    ...{ name, unit, clock, ours: rounded(median(ours)) },
    ...{ ours_min: rounded(Math.min(...ours)), ours_max: rounded(Math.max(...ours)), pairs: ours.length },
  }
  if (loudPairs > 0) line.loud_pairs = loudPairs
  if (!anchor) return line
  const ratios = ratiosOf(ours, anchor.values, inverse)
  return {
    ...line,
    ...{ beside: anchor.name, anchor: rounded(median(anchor.values)) },
    ratio_median: rounded(median(ratios)),
    ratio_min: rounded(Math.min(...ratios)),
    ratio_max: rounded(Math.max(...ratios)),
  }
}

/** The ratio of each pair. @throws when a pair lacks a side */
export function ratiosOf(ours: readonly number[], anchor: readonly number[], inverse: boolean): number[] {
  if (ours.length !== anchor.length)
    throw new Error(`${ours.length} values next to ${anchor.length}: a pair lacks a side`)
  return ours.map((value, index) => {
    const other = anchor[index] as number
    return inverse ? other / value : value / other
  })
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = (sorted.length - 1) / 2
  return ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle)] ?? Number.NaN)) / 2
}

/** Value below which the share of the values lies, 0 to 1; the nearest rank. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
}

/** Enough digits for any ratio, few enough to read. */
const rounded = (value: number) => Number(value.toPrecision(4))
