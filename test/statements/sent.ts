import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Sent } from './log.ts'
import { kindsOf, withPlaces } from './places.ts'
import type { Source } from './sources.ts'

/** A statement of the product with parameters that a test sent. */
export type Collected = Pick<Sent, 'text' | 'values' | 'scope'>

const FILE = join(import.meta.dirname, 'fixtures', 'sent.json')

export const readCollected = (): Collected[] => JSON.parse(readFileSync(FILE, 'utf8')) as Collected[]

/** One line for each statement, so that a change of one is a change of one line. */
export function writeCollected(collected: readonly Collected[]): void {
  const lines = collected.map((one) => JSON.stringify(one)).sort()
  writeFileSync(FILE, `[\n${lines.join(',\n')}\n]\n`)
}

/** Only the owner sends the others: migrations, roles, and changes of the deployment's row. */
const READS_OR_WRITES = /^\s*(select|with|insert(?! into "?deployment)|update(?! "?deployment)|delete)\b/

/** Maximum characters of the parameters: files and pages of disputes are not collected. */
const LONGEST = 3_000

/** Statements that differ only in the number of their parameters have the same key. */
const keyOf = ({ text, scope }: Collected) =>
  `${scope} ${text
    .replace(/\s+/g, ' ')
    .replace(/\$\d+/g, '$')
    .replace(/(\(\$(?:, \$)*\))(?:, \(\$(?:, \$)*\))+/g, '$1')
    .replace(/\$(, \$)+/g, '$')}`

/** Adds a test's statements to the known ones. Statements of the test itself have no source and are skipped. */
export function merge(known: readonly Collected[], sent: readonly Sent[], sources: readonly Source[]): Collected[] {
  const fromProduct = ({ text }: Collected) => READS_OR_WRITES.test(text) && sources.some(({ sends }) => sends(text))
  const kept = new Map(known.filter(fromProduct).map((one) => [keyOf(one), one]))
  const fresh = new Map<string, Sent>()
  const length = ({ values }: Sent) => values.reduce((sum, value) => sum + (value?.length ?? -10), 0)
  for (const one of sent) {
    const key = keyOf(one)
    if (kept.has(key)) continue
    const before = fresh.get(key)
    // The one with the longest parameters, up to LONGEST.
    if (!before || (length(one) > length(before) ? length(one) <= LONGEST : length(before) > LONGEST))
      fresh.set(key, one)
  }
  const kinds = kindsOf(sent)
  for (const [key, one] of fresh)
    if (fromProduct(one)) kept.set(key, { text: one.text, values: withPlaces(one, kinds), scope: one.scope })
  return [...kept.values()]
}
