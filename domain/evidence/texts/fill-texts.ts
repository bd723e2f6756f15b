import { cleanText, isCardNumber, printable } from '../clean-text.ts'
import type { Composition } from '../compose.ts'
import { canonical, textOf } from '../evidence-texts.ts'
import { FACT_NAMES, FACTS, type PointSource } from '../fact-catalogue.ts'
import type { Fact, FactValue } from '../gather-facts.ts'
import { type WrittenDate, writeIso, writeTime } from '../written-dates.ts'
import { type WrittenMoney, writeMoney } from '../written-money.ts'
import { logAnchor, shortLog } from './activity-log.ts'
import { fitSentences } from './fit-sentences.ts'
import { foldedLines, oneLine, wholeSentences } from './prose.ts'
import type { FactSource, TextSource, TextTable } from './text-table.ts'

export interface TextsInput {
  composition: Pick<Composition, 'statements' | 'facts'>
  /** The client's data points in order of precedence: one that is named like a field is that field's text. */
  client: readonly PointSource[]
  table: TextTable
  /** Characters of each field, and of all together. */
  limits: { textFields: Readonly<Record<string, number>>; maxTextCharacters: number }
  /** Fields of the documents that are sent with the texts. */
  places?: readonly string[]
}

export interface FilledTexts {
  texts: Record<string, string>
  /** Names of fields and sentences, never values. */
  leftOut: { field: string; why: string }[]
}

/** A text, or why there is none; both when a part is left out. Nothing: there is no value. */
interface Filled {
  text?: string
  why?: string
}

/** Shorter fields hold a value that proves nothing when a part is left out: a name, a number, a place. */
const PROSE = 600
/** Data points that are facts. Sources and contradictions have decided about them. */
const OF_FACTS: ReadonlySet<string> = new Set(FACT_NAMES.flatMap((name) => FACTS[name].names ?? []))

/** Texts for a PSP's fields, from the facts and sentences of a composition. Pure: equal input gives equal texts. */
export function fillTexts({ composition, client, table, limits, places = [] }: TextsInput): FilledTexts {
  const leftOut: FilledTexts['leftOut'] = []
  const texts: Record<string, string> = {}
  let room = limits.maxTextCharacters
  const named = [...Object.keys(table.fields), ...Object.keys(limits.textFields).sort()]
  for (const field of new Set(named)) {
    if (!Object.hasOwn(limits.textFields, field)) continue
    const limit = Math.min(limits.textFields[field] ?? 0, room)
    const sources = table.fields[field] ?? []
    const { text, why } = wordingFor(field, sources, client, limit) ?? firstOf(sources, field, composition, limit)
    if (why !== undefined) leftOut.push({ field, why })
    if (!text) continue
    texts[field] = text
    room -= text.length
  }
  for (const [field, why] of [...(table.refused?.(texts, places) ?? [])]) {
    delete texts[field]
    leftOut.push({ field, why })
  }
  return { texts, leftOut }
}

/** The client's own text for the field; null when there is none. */
function wordingFor(
  field: string,
  sources: readonly TextSource[],
  client: readonly PointSource[],
  limit: number,
): Filled | null {
  const wanted = canonical(field)
  const texts = client.flatMap(({ points }) =>
    Object.keys(points)
      .filter((name) => canonical(name) === wanted && !OF_FACTS.has(name))
      .sort((a, b) => Number(b === field) - Number(a === field) || (a < b ? -1 : 1))
      .flatMap((name) => textOf(points[name]) ?? []),
  )
  const [first] = texts.filter((text) => printable(text).trim() !== '')
  if (first === undefined) return null
  const [source] = sources
  if (source && 'ids' in source) return idsOf(printable(first), source, limit)
  if (source && isProse(source) && limit >= PROSE) return proseOf(cleanText(first), limit)
  return wholeOf(oneLine(printable(first)), limit)
}

const isProse = (source: TextSource) => !('fact' in source) || FACTS[source.fact].kind === 'text'

function firstOf(
  sources: readonly TextSource[],
  field: string,
  composition: TextsInput['composition'],
  limit: number,
): Filled {
  const tried = sources.map((source) => fromSource(source, field, composition, limit))
  const text = tried.find((one) => one.text)?.text
  const whys = tried.slice(0, tried.findIndex((one) => one.text) + 1 || tried.length).flatMap(({ why }) => why ?? [])
  return { ...(text && { text }), ...(whys.length > 0 && { why: whys.join('; ') }) }
}

function fromSource(
  source: TextSource,
  field: string,
  { statements, facts }: TextsInput['composition'],
  limit: number,
) {
  if ('summary' in source) return sentencesOf(statements, Math.min(limit, source.summary))
  if ('sentencesWith' in source) {
    const using = statements.filter((one) => source.sentencesWith.some((name) => one.facts.includes(name)))
    return sentencesOf(using, Math.min(limit, source.most))
  }
  if ('ids' in source) {
    const fact = facts[source.ids]
    return fact ? idsOf(String(fact.value), source, limit) : {}
  }
  if ('log' in source) {
    const fact = facts[source.log]
    if (!fact) return {}
    const text = shortLog(String(fact.value), logAnchor(facts), Math.min(limit, source.most))
    return text === null ? { why: `no entry fits into ${limit} characters` } : { text }
  }
  const fact = facts[source.fact]
  if (!fact || (source.clientOnly && fact.source === 'psp')) return {}
  if (source.only && !facts[source.only]) return { why: `it needs ${source.only}` }
  return factText(
    source,
    fact,
    canonical(fact.name) === canonical(field) ? limit : Math.min(limit, source.most ?? limit),
  )
}

function factText({ fact: name, iso }: FactSource, fact: Fact, limit: number): Filled {
  const { kind } = FACTS[name]
  if (kind === 'text' && limit >= PROSE) return proseOf(String(fact.value), limit)
  return wholeOf(oneLine(written(kind, fact.value, iso === true)), limit)
}

function written(kind: string, value: FactValue, iso: boolean): string {
  if (kind === 'date') return iso ? writeIso(value as WrittenDate) : writeTime(value as WrittenDate)
  if (kind === 'money') return writeMoney(value as WrittenMoney)
  return Array.isArray(value) ? value.join(', ') : String(value)
}

function sentencesOf(statements: Composition['statements'], limit: number): Filled {
  const { text, without } = fitSentences(statements, limit)
  return { text, ...(without.length > 0 && { why: `no room for the sentences ${without.join(', ')}` }) }
}

function proseOf(given: string, limit: number): Filled {
  const whole = foldedLines(given)
  const text = wholeSentences(whole, limit)
  if (text === null) return { why: `no word of it ends within ${limit} characters` }
  return text === whole
    ? { text }
    : { text, why: `it is longer than ${limit} characters: its first sentences are used` }
}

/** Half a number, date or address proves nothing. */
function wholeOf(text: string, limit: number): Filled {
  if (isCardNumber(text)) return { why: 'it looks like a card number' }
  return text.length > limit ? { why: `it is longer than ${limit} characters` } : { text }
}

/** Whole identifiers, the first ones, each once. */
function idsOf(
  given: string,
  { count = Number.POSITIVE_INFINITY, each = Number.POSITIVE_INFINITY }: { count?: number; each?: number },
  limit: number,
): Filled {
  const all = [...new Set(given.split(/[\n,;]/).map(oneLine))].filter((id) => id !== '')
  const taken: string[] = []
  for (const id of all) {
    if (id.length > each || isCardNumber(id) || taken.length === count) continue
    if ([...taken, id].join(', ').length <= limit) taken.push(id)
  }
  const left = all.length - taken.length
  return {
    text: taken.join(', '),
    ...(left > 0 && { why: `${left} of ${all.length} numbers are left out: too many, too long, or a card number` }),
  }
}
