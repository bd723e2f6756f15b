import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isMetric, isSkip, type Line, type MetricLine } from './metric.ts'

/** A row of gates.json. Gates and goals are never moved to fit a result. */
export interface Gate {
  /** P1 … P12, or a name. */
  row: string
  figure: string
  benchmark: string
  /** Name of the line that decides. */
  metric: string
  /** A second line that has to reach the same gate: processor time next to wall time. */
  also?: string
  value: 'ratio' | 'ours'
  bound: 'least' | 'most'
  gate: number
  goal?: number
  /** For counters: what `npm test` allows today. Lower it with each improvement; the gate stays. */
  ceiling?: number
  /** While the gate is missed: what takes the time or the space, from a profile or a count. */
  why?: string
}

export type Verdict = 'goal met' | 'met' | 'missed' | 'unproven' | 'not run'

export interface Judgement {
  gate: Gate
  verdict: Verdict
  /** Why it is unproven. */
  reason?: string
  line?: MetricLine
  also?: MetricLine
}

export function readGates(file = join(import.meta.dirname, '..', 'gates.json')): Gate[] {
  return JSON.parse(readFileSync(file, 'utf8')) as Gate[]
}

/**
 * What the lines say about each row. Wall time of loud pairs decides nothing, a skipped peer leaves its rows unproven, and
 * times with the small data of `--quick` may miss a gate but prove none.
 */
export function judge(gates: readonly Gate[], lines: readonly Line[]): Judgement[] {
  return gates.map((gate) => {
    const find = (name?: string) => lines.find((line): line is MetricLine => isMetric(line) && line.name === name)
    const [line, also] = [find(gate.metric), find(gate.also)]
    const found = { gate, ...(line && { line }), ...(also && { also }) }
    const skip = lines.find((one) => isSkip(one) && one.rows.includes(gate.row))
    if (!line) {
      if (skip && isSkip(skip)) return { ...found, verdict: 'unproven', reason: `skipped: ${skip.skipped}` }
      return { ...found, verdict: 'not run' }
    }
    const decisive = [line, also].filter((one) => one !== undefined && !isUndecided(one)) as MetricLine[]
    const values = decisive.map((one) => gateValue(gate, one))
    if (values.some((value) => !reaches(gate.bound, value, gate.gate))) return { ...found, verdict: 'missed' }
    if (decisive.length < (gate.also ? 2 : 1))
      return { ...found, verdict: 'unproven', reason: 'the machine was loud: wall time proves nothing' }
    const run = lines.find((one) => one.name === `${gate.benchmark}.run`)
    if (run && 'quick' in run && run.quick && decisive.some(({ clock }) => clock !== 'count'))
      return { ...found, verdict: 'unproven', reason: 'measured with --quick, which has less data and fewer pairs' }
    const atGoal = values.every((value) => reaches(gate.bound, value, gate.goal ?? gate.gate))
    return { ...found, verdict: atGoal ? 'goal met' : 'met' }
  })
}

/** The number that the gate is about. NaN, which reaches nothing, without a ratio. */
export const gateValue = ({ value }: Gate, line: MetricLine): number =>
  value === 'ratio' ? (line.ratio_median ?? Number.NaN) : line.ours

const reaches = (bound: Gate['bound'], value: number, limit: number) =>
  bound === 'least' ? value >= limit : value <= limit

const isUndecided = ({ clock, loud_pairs }: MetricLine) => clock === 'wall' && (loud_pairs ?? 0) > 0
