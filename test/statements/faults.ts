import type pg from 'pg'
import { type Cost, explain } from './explain.ts'
import type { Size } from './fill.ts'
import { namedOf } from './named.ts'
import type { Collected } from './sent.ts'

/** Rows and pages of 8 KB that a statement may read, at any size: about 50 ms on two cores. */
export const ROWS = 50_000
export const PAGES = 5_000
/** Bytes of a table from which on no statement may read it as a whole. */
const LARGE = 8_000_000

/** Statements that exceed the limits and are not in `NAMED`, each with the reason. */
export async function statementFaults(
  client: pg.Client,
  statements: readonly Collected[],
  size: Size,
  { fresh }: { fresh: boolean },
): Promise<{ faults: string[]; named: Set<string> }> {
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_class where relkind = 'r' and pg_relation_size(oid) > ${LARGE}`,
  )
  const large = new Set(rows.map((row) => row.name))
  const faults: string[] = []
  const named = new Set<string>()
  const oneLine = ({ text }: Collected) => text.replace(/\s+/g, ' ').trim()
  const excused = namedOf(size, fresh)
  const isNamed = (one: Collected) => excused.some(({ of }) => of.test(oneLine(one)))
  // Named ones last: the dead rows that an update of thousands leaves would count for the others.
  for (const statement of [...statements].sort((one, other) => Number(isNamed(one)) - Number(isNamed(other)))) {
    const text = oneLine(statement)
    const cost = await explain(client, statement, size).catch((error: Error) => error)
    const why = cost instanceof Error ? `can't be explained: ${cost.message}` : whatIsWrong(cost, large)
    const excuse = excused.find(({ of }) => of.test(text))
    if (excuse) named.add(excuse.why)
    else if (why) faults.push(`${why}: ${text}`)
  }
  return { faults, named }
}

function whatIsWrong({ scanned, rows, pages }: Cost, large: ReadonlySet<string>): string | undefined {
  const whole = scanned.filter((table) => large.has(table))
  if (whole.length > 0) return `reads all of ${whole.join(' and ')}`
  if (rows > ROWS) return `reads ${rows} rows`
  if (pages > PAGES) return `reads ${pages} pages`
  return undefined
}
