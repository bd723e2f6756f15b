import { parseCsv } from '../../api/chargebacks/csv.ts'
import type { Shop } from '../shop.ts'

/** A chargeback of the CSV export: all its cells are text. */
export interface Exported {
  currency: string
  amount: string
  pspStatus: string
  lifecycleStage: string
  postingDate: string
  dueDate: string
}

/** The rows of the CSV export. @param filter as in an address of the queue, where `any` lifts a filter */
export async function readExport({ stage }: Shop, filter: Iterable<[string, string]> = []): Promise<Exported[]> {
  const query = new URLSearchParams([...filter].filter(([, value]) => value !== 'any'))
  const { status, text } = await stage.call('GET', `/v1/chargebacks/export?format=csv&${query}`)
  if (status !== 200) throw new Error(text)
  const [names = [], ...rows] = parseCsv(text)
  return rows.map(
    (cells) => Object.fromEntries(names.map((name, index) => [name, cells[index]])) as unknown as Exported,
  )
}

/** In units of the one currency that the rows have. */
export const sumOf = (rows: readonly Exported[]) =>
  Math.round(rows.reduce((all, { amount }) => all + Number(amount), 0) * 100) / 100

export const withStatus = (rows: readonly Exported[], ...statuses: string[]) =>
  rows.filter(({ pspStatus }) => statuses.includes(pspStatus))

/** Percent won of those that were decided, with the four digits that the API has of a share; a split one counts half. */
export function winRateOf(rows: readonly Exported[]): number {
  const [won, lost, split] = ['won', 'lost', 'split'].map((status) => withStatus(rows, status).length) as [
    number,
    number,
    number,
  ]
  return Math.round((10_000 * (won + split / 2)) / (won + lost + split)) / 100
}
