import { type Gate, gateValue, type Judgement, judge } from './gates.ts'
import { isMetric, isSkip, type Line, type MetricLine, type RunLine } from './metric.ts'
import { GUIDE } from './report-guide.ts'

/** docs/benchmarks.md: how to run, each row of gates.json, every figure, where they were measured. */
export function reportDocument(gates: readonly Gate[], lines: readonly Line[]): string {
  const judgements = judge(gates, lines)
  return [
    '# Benchmarks',
    GUIDE,
    '## Gates',
    GATES_INTRODUCTION,
    gateTable(judgements),
    ...reasonsOf(judgements),
    ...skipsOf(lines),
    '## Figures',
    'The median of the pairs, with minimum and maximum of the ratios. CPU figures include Postgres unless they say client.',
    figureTable(lines.filter(isMetric)),
    '## Runs',
    runTable(lines.filter(isRun)),
    '',
  ].join('\n\n')
}

const GATES_INTRODUCTION = `*Missed* is missed until the product is faster: no gate is moved. *Unproven* has no figure that counts: a peer was skipped,
the machine was loud and wall time proves nothing, or a time was measured with the small data of \`--quick\`. Where a row has
two clocks both have to reach the gate.`

function gateTable(judgements: readonly Judgement[]): string {
  const rows = judgements.map(({ gate, verdict, reason, line, also }) => {
    const value = line ? gateValue(gate, line) : null
    const ratio = value === null ? '–' : gate.value === 'ratio' ? `**${short(value)}**` : '–'
    const range =
      line?.ratio_min === undefined || gate.value !== 'ratio'
        ? ''
        : ` (${short(line.ratio_min)}–${short(line.ratio_max)})`
    return [
      gate.row,
      gate.figure,
      line ? `${short(line.ours)} ${line.unit}` : '–',
      line?.anchor === undefined ? '–' : `${short(line.anchor)}`,
      ratio + range,
      also ? short(gateValue(gate, also)) : '–',
      limit(gate, gate.gate),
      gate.goal === undefined ? '–' : limit(gate, gate.goal),
      (verdict === 'missed' ? '**missed**' : verdict) + (reason ? `: ${reason}` : ''),
    ]
  })
  const heads = ['row', 'figure', 'Recoup', 'next to it', 'ratio', 'ratio by CPU', 'gate', 'goal', 'result']
  return table(heads, rows)
}

function reasonsOf(judgements: readonly Judgement[]): string[] {
  const reasons = judgements.flatMap(({ gate, verdict }) =>
    verdict === 'missed' && gate.why ? [`- **${gate.row}**: ${gate.why}`] : [],
  )
  return reasons.length === 0 ? [] : ['Why gates are missed, from profiles and counts:', reasons.join('\n')]
}

const limit = ({ bound }: Gate, value: number) => `${bound === 'least' ? '≥' : '≤'} ${value}`

function skipsOf(lines: readonly Line[]): string[] {
  const skips = lines
    .filter(isSkip)
    .map(({ name, skipped, rows }) => `- ${name}: ${skipped} (unproven: ${rows.join(', ')})`)
  return skips.length === 0 ? [] : ['Skipped:', skips.join('\n')]
}

function figureTable(lines: readonly MetricLine[]): string {
  const rows = lines.map((line) => [
    `\`${line.name}\``,
    `${short(line.ours)} ${line.unit}`,
    line.beside === undefined ? '–' : `${short(line.anchor)} (${line.beside})`,
    line.ratio_median === undefined
      ? '–'
      : `${short(line.ratio_median)} (${short(line.ratio_min)}–${short(line.ratio_max)})`,
    line.clock,
    `${line.pairs}${line.loud_pairs ? `, ${line.loud_pairs} loud` : ''}`,
  ])
  return table(['figure', 'Recoup', 'next to it', 'ratio', 'clock', 'pairs'], rows)
}

const isRun = (line: Line): line is RunLine => line.name.endsWith('.run')

function runTable(lines: readonly RunLine[]): string {
  const rows = lines.map((line) => {
    const { name, quick, machine, node, commit, date, load_before, load_after, disputes, postgres, seconds } = line
    const server = (postgres as Record<string, string> | undefined)?.server_version ?? '–'
    const size = `${disputes ?? '–'}${quick ? ', --quick' : ''}`
    return [
      name.replace(/\.run$/, ''),
      date,
      commit,
      size,
      machine,
      node,
      server,
      `${load_before} → ${load_after}`,
      seconds ?? '–',
    ].map(String)
  })
  return table(['benchmark', 'date', 'commit', 'disputes', 'machine', 'Node', 'Postgres', 'load', 'seconds'], rows)
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line)].join('\n')
}

/** Three digits, and no more of large numbers than anybody reads. */
function short(value: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) return '–'
  return Math.abs(value) >= 1_000 ? Math.round(value).toLocaleString('en-US') : String(Number(value.toPrecision(3)))
}
