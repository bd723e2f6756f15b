import { readFileSync } from 'node:fs'
import { summarise } from '../db/analytics/summary.ts'
import { listChargebacks } from '../db/chargebacks/chargeback-list.ts'
import type { ChargebackFilter } from '../db/chargebacks/list-filter.ts'
import { SORTS, type Sort } from '../db/chargebacks/list-order.ts'
import { connect } from '../db/core/connect.ts'
import { inScope } from '../db/core/scope.ts'
import { openOtherSide } from './psp/other-side.ts'
import { makeDataset, PAGE } from './reads/dataset.ts'
import { openApi } from './reads/servers.ts'
import { addVaried } from './reads/varied.ts'
import { appRole } from './runner/app-role.ts'
import type { Context } from './runner/context.ts'
import { openDatabases } from './runner/databases.ts'
import { percentile } from './runner/metric.ts'

const MILLION = 1_000_000

const GROUPED = [[], ['psp', 'month'], ['month', 'currency'], ['reasonGroup', 'status'], ['lifecycleStage']] as const

const DAY = 24 * 3_600_000
const daysOn = (n: number) => new Date(Date.now() + n * DAY)
/** What a queue, a search and an overview ask for. */
const FILTERS: readonly ChargebackFilter[] = [
  {},
  { status: ['waiting_for_data', 'building_evidence'] },
  { pspStatus: ['needs_response'], dueBefore: daysOn(7) },
  { dueAfter: daysOn(0), dueBefore: daysOn(7) },
  { dueAfter: daysOn(-400), dueBefore: daysOn(-390) },
  { psp: ['adyen', 'paypal'], reasonGroup: ['general'] },
  { lifecycleStage: ['inquiry', 'second_chargeback'] },
  { currency: ['EUR'], minAmount: '450' },
  { currency: ['JPY'] },
  { inScope: false, recommendation: 'Accept' },
  { search: '4242' },
  { search: 'nothing' },
]

export async function run(context: Context): Promise<void> {
  if (process.platform !== 'linux') return context.skip('analytics.rss', context.rows, 'memory is read from /proc')
  const chargebacks = context.size(MILLION, 50_000)
  if (chargebacks < MILLION)
    context.skip('analytics.size', context.rows, `${chargebacks} chargebacks are not a million`)
  await using otherSide = await openOtherSide()
  const { url: serverUrl, pid: postmaster } = otherSide.postgres
  await using _role = appRole(serverUrl)
  await using databases = await openDatabases(serverUrl)
  context.say(`making ${chargebacks} chargebacks`)
  const data = await makeDataset(databases, 1_000)
  const [merchant] = data.merchants
  if (!merchant) throw new Error('the dataset has a merchant')
  const { merchantUuid, token } = merchant
  await addVaried(data.url, merchantUuid, chargebacks)
  context.fact({ disputes: chargebacks, analyzed: true, postgres: await databases.describe() })
  await using api = await openApi(data)
  const db = connect(data.appUrl, { scope: 'none', max: 1 })
  await using _db = { [Symbol.asyncDispose]: () => db.destroy() }
  const scoped = <T>(work: () => Promise<T>) => inScope({ accountId: data.accountId, merchantUuid }, work)

  const sides = {
    summary: () =>
      slowest(GROUPED.map((by) => () => scoped(() => summarise(db, { merchantUuid, by: [...by], filter: {} })))),
    list: () =>
      slowest(
        FILTERS.flatMap((filter) =>
          SORTS.filter((sort) => fits(filter, sort)).map((sort) => () => {
            const request = { merchantUuid, limit: PAGE, page: 1, after: null, filter, sort }
            return scoped(() => listChargebacks(db, request))
          }),
        ),
      ),
    exported: () => readExport(api, token),
  }
  const { rounds, loudPairs } = await context.pairsOf<string, number | Exported>(sides, postmaster)
  const name = (figure: string) => `analytics.${chargebacks < MILLION ? 'few_' : ''}${figure}`
  const of = (side: string) => rounds.map((round) => round[side] as number)
  const exported = rounds.map((round) => round.exported as Exported)
  const line = (figure: string, unit: string, clock: 'wall' | 'count', ours: number[]) =>
    context.metric({ name: name(figure), unit, clock, ours, anchor: null }, loudPairs)
  line('summary_p95', 'ms', 'wall', of('summary'))
  line('list_p95', 'ms', 'wall', of('list'))
  line(
    'export_rate',
    'rows/s',
    'wall',
    exported.map(({ rate }) => rate),
  )
  line(
    'export_memory',
    'MB',
    'count',
    exported.map(({ grownMb }) => grownMb),
  )
}

/** Amounts compare within one currency. */
const fits = ({ currency }: ChargebackFilter, sort: Sort) => !sort.endsWith('amount') || currency?.length === 1

/** 95th percentile of the questions, each asked three times, ms. */
async function slowest(questions: readonly (() => Promise<unknown>)[]): Promise<number> {
  const times: number[] = []
  for (const ask of [...questions, ...questions, ...questions]) {
    const began = performance.now()
    await ask()
    times.push(performance.now() - began)
  }
  return percentile(times, 0.95)
}

interface Exported {
  rate: number
  /** Of the API, over its memory before. */
  grownMb: number
}

async function readExport({ url, pid }: { url: string; pid: number }, token: string): Promise<Exported> {
  const before = memoryMb(pid)
  let [rows, most] = [0, before]
  const began = performance.now()
  const response = await fetch(`${url}/v1/chargebacks/export?format=ndjson`, {
    headers: { authorization: `Bearer ${token}`, 'accept-encoding': 'identity' },
  })
  if (!response.ok || !response.body) throw new Error(`the export responded with ${response.status}`)
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    for (const byte of chunk) if (byte === NEWLINE) rows++
    most = Math.max(most, memoryMb(pid))
  }
  return { rate: rows / ((performance.now() - began) / 1000), grownMb: most - before }
}
const NEWLINE = 10

const memoryMb = (pid: number) =>
  Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
