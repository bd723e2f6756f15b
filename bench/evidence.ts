import { existsSync, readdirSync, readFileSync } from 'node:fs'
import sharp from 'sharp'
import { renderEvidence } from '../files/evidence/render.ts'
import type { EvidenceLayout } from '../files/jobs.ts'
import { createFileProcesses } from '../files/processes.ts'
import { buildPackage, type CaseRequest } from '../test/unit/files/evidence/build-package.ts'
import { FULL_PACKAGES, type PackageCase } from '../test/unit/files/evidence/package-cases.ts'
import { PACKAGES } from '../test/unit/files/evidence/packages.ts'
import { ownTime } from './runner/clocks.ts'
import type { Context } from './runner/context.ts'

interface Result {
  buildP95: number
  renderMs: number
  medianKb: number
  mostKb: number
  perMinute: number
  rssMb: number
}

/** Ten pages with three photographs of 12 megapixels. */
const TEN_PAGES: PackageCase = {
  ...FULL_PACKAGES.fraud_cnp,
  files: [
    ...FULL_PACKAGES.fraud_cnp.files,
    ...['refund.pdf', 'slip.png'].map((name) => ({ name, kind: 'other' as const })),
    ...[1, 2, 3].map((number) => ({ name: `photo-${number}.jpg`, kind: 'photo' as const })),
  ],
}

export async function run(context: Context): Promise<void> {
  const contents = await photographs()
  context.fact({ photo_mb: Object.values(contents).map(({ length }) => Math.round(length / 1e5) / 10) })
  const { rounds, loudPairs } = await context.pairsOf({ ours: () => measure(context, contents) }, null)
  const metric = (figure: string, unit: string, clock: 'wall' | 'cpu' | 'count', value: (one: Result) => number) =>
    context.metric(
      { name: `evidence.${figure}`, unit, clock, ours: rounds.map(({ ours }) => value(ours)), anchor: null },
      loudPairs,
    )
  metric('build_p95', 's', 'wall', ({ buildP95 }) => buildP95)
  metric('render', 'ms', 'cpu', ({ renderMs }) => renderMs)
  metric('median_size', 'KB', 'count', ({ medianKb }) => medianKb)
  metric('largest_size', 'KB', 'count', ({ mostKb }) => mostKb)
  metric('rebuilds', '/min', 'wall', ({ perMinute }) => perMinute)
  if (existsSync('/proc/self/status')) metric('rss', 'MB', 'count', ({ rssMb }) => rssMb)
  else context.skip('evidence.rss', ['evidence memory'], 'there is no /proc')
}

/** Noise like that of a camera: 5 to 8 MB each. */
async function photographs(): Promise<Record<string, Uint8Array>> {
  const noise = { type: 'gaussian', mean: 128, sigma: 30 } as const
  const create = { width: 4_000, height: 3_000, channels: 3, background: '#888', noise } as const
  const one = () => sharp({ create }).jpeg({ quality: 90 }).toBuffer()
  return { 'photo-1.jpg': await one(), 'photo-2.jpg': await one(), 'photo-3.jpg': await one() }
}

/** With the limits of a worker, and one process as a worker has. */
async function measure(context: Context, contents: NonNullable<CaseRequest['contents']>): Promise<Result> {
  const options = { cpuMs: 20_000, wallMs: 60_000, waitMs: 0, processes: 1, purpose: 'render' } as const
  await using processes = createFileProcesses({ ...options, log: { warn() {} } })
  let rssMb = 0
  const built = async (one: PackageCase) => {
    const { wallMs, result } = await ownTime(() => buildPackage(one, { processes, contents }))
    rssMb = Math.max(rssMb, childrenRssMb())
    return { seconds: wallMs / 1_000, bytes: 'refused' in result ? null : result.pdf.length, result }
  }
  const { result: warm } = await built(TEN_PAGES)
  if ('refused' in warm || warm.pages !== 10) throw new Error('the package has not ten pages')
  const builds: number[] = []
  for (let n = 0; n < context.size(40, 5); n++) builds.push((await built(changed(TEN_PAGES, n))).seconds)
  const sizes: number[] = []
  for (const one of Object.values(PACKAGES)) sizes.push(((await built(one)).bytes ?? 0) / 1_024)
  const rebuilds = context.size(400, 30)
  const cases = Object.values(FULL_PACKAGES).filter(({ play }) => play !== 'compliance')
  const { wallMs } = await ownTime(async () => {
    for (let n = 0; n < rebuilds; n++) await built(changed(cases[n % cases.length] as PackageCase, n))
  })
  const kept = sizes.filter((size) => size > 0)
  return {
    buildP95: quantile(builds, 0.95),
    renderMs: await renderMs(warm.written.document, context.quick ? 20 : 100),
    medianKb: quantile(kept, 0.5),
    mostKb: Math.max(...kept, warm.pdf.length / 1_024),
    perMinute: (rebuilds / wallMs) * 60_000,
    rssMb,
  }
}

/** Another order in each build. */
const changed = (one: PackageCase, n: number): PackageCase => ({ ...one, points: { ...one.points, orderId: `A-${n}` } })

/** In all pairs: Typst remembers what it has laid out. */
let rendered = 0

/** Processor time of one more document with other words in a process that has set some. */
async function renderMs({ statements, ...rest }: EvidenceLayout['document'], times: number): Promise<number> {
  const render = () => {
    rendered++
    const other = {
      ...rest,
      title: `Evidence ${rendered}`,
      statements: statements.map((text) => `${rendered} ${text}`),
    }
    const layout: EvidenceLayout = { document: { ...other, exhibits: [] }, exhibits: [], compact: false }
    return renderEvidence({ content: new TextEncoder().encode(JSON.stringify(layout)), exhibits: [] })
  }
  for (let n = 0; n < 5; n++) await render()
  const { cpuMs } = await ownTime(async () => {
    for (let n = 0; n < times; n++) await render()
  })
  return cpuMs / times
}

const quantile = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN

/** The largest peak among the processes that this one has started; 0 where there is no /proc. */
function childrenRssMb(): number {
  const own = String(process.pid)
  const peaks = readdirSync('/proc', { encoding: 'utf8' }).flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return []
    try {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8')
      const isOurs = new RegExp(`^PPid:\\s+${own}$`, 'm').test(status)
      return isOurs ? [Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1_024] : []
    } catch {
      return []
    }
  })
  return Math.max(0, ...peaks)
}
