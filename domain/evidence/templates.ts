import { Liquid, type Template } from 'liquidjs'
import { excerpt } from './clean-text.ts'
import { FACTS, type FactName, isFactName } from './fact-catalogue.ts'
import type { Facts, FactValue, TableValue } from './gather-facts.ts'
import { isTable, rowsOf } from './structures/tables.ts'
import { type WrittenDate, writeDay, writeTime } from './written-dates.ts'
import { type WrittenMoney, writeMoney } from './written-money.ts'

/**
 * Sentences are Liquid templates with five tags and six filters. No loop, no clock, no file: a template's work is
 * bounded by its length, and equal facts give equal text. Facts are data: markup in them prints as typed.
 */
const TAGS = new Set(['if', 'unless', 'case', 'comment', 'raw'])

const FILTERS: Readonly<Record<string, (value: never, argument: never) => string>> = {
  date: (value: WrittenDate) => writeDay(value),
  dateTime: (value: WrittenDate) => writeTime(value),
  money: (value: WrittenMoney) => writeMoney(value),
  list: (value: readonly string[]) => listed(value),
  count: (value: readonly unknown[], item: string) => `${value.length} ${item}${value.length === 1 ? '' : 's'}`,
  last4: (value: string) => `•••• ${value.slice(-4)}`,
}

function createEngine(): Liquid {
  const engine = new Liquid({
    strictVariables: true,
    strictFilters: true,
    ownPropertyOnly: true,
    lenientIf: true,
    parseLimit: 4_000,
    memoryLimit: 100_000,
    renderLimit: 1_000,
  })
  for (const name of Object.keys(engine.tags)) if (!TAGS.has(name)) delete engine.tags[name]
  for (const name of Object.keys(engine.filters)) delete engine.filters[name]
  for (const [name, filter] of Object.entries(FILTERS))
    engine.registerFilter(name, (value: unknown, argument: unknown) => filter(value as never, argument as never))
  return engine
}

const engine = createEngine()

export interface Sentence {
  template: Template[]
  /** Facts without which the sentence is dropped: all that it names, but the optional ones. */
  needs: readonly FactName[]
}

/** @throws RangeError with a sentence that says what is wrong with the template */
export function parseSentence(text: string, optional: readonly FactName[] = []): Sentence {
  const template = parsed(text)
  const names = engine.globalVariablesSync(template)
  const unknown = names.filter((name) => !isFactName(name))
  if (unknown.length > 0) throw new RangeError(`Unknown fact ${unknown.join(', ')}.`)
  const unused = optional.filter((name) => !names.includes(name))
  if (unused.length > 0) throw new RangeError(`Optional, but not in the text: ${unused.join(', ')}.`)
  return { template, needs: names.filter((name): name is FactName => isFactName(name) && !optional.includes(name)) }
}

function parsed(text: string): Template[] {
  try {
    return engine.parse(text)
  } catch (error) {
    throw new RangeError(faultOf(error))
  }
}

/**
 * Every fault of a template that shows without facts, as sentences. After a tag that is unknown or not closed nothing
 * more can be read.
 */
export function faultsOfTemplate(text: string): string[] {
  // Takes unknown filters once they are known as faults, so that the next fault shows.
  const tolerant = createEngine()
  const faults: string[] = []
  for (;;) {
    try {
      const names = tolerant.globalFullVariablesSync(tolerant.parse(text))
      return [...faults, ...names.flatMap(faultsOfName)]
    } catch (error) {
      faults.push(faultOf(error))
      const [, filter] = UNKNOWN_FILTER.exec((error as Error).message) ?? []
      if (filter === undefined || filter in tolerant.filters) return faults
      tolerant.registerFilter(filter, (value: unknown) => value)
    }
  }
}

const UNKNOWN_FILTER = /^undefined filter: ([^,\s]+)/
const UNKNOWN_TAG = /^tag "([^"]*)" not found/

/** What is wrong with a template, as a sentence. */
function faultOf(error: unknown): string {
  const [message = ''] = (error as Error).message.split('\n')
  const filter = UNKNOWN_FILTER.exec(message)?.[1]
  if (filter !== undefined) return `Unknown filter ${filter}: use one of ${Object.keys(FILTERS).join(', ')}.`
  const tag = UNKNOWN_TAG.exec(message)?.[1]
  if (tag !== undefined) return `Unknown tag ${tag}: use one of ${[...TAGS].join(', ')}.`
  return `${message}.`
}

/** A part of a fact is no interface: `{{ deliveryDate.day }}` would be a date in another form. */
function faultsOfName(name: string): string[] {
  const [fact = ''] = name.split(/[.[]/)
  if (!isFactName(fact)) return [`Unknown fact ${fact}.`]
  return fact === name ? [] : [`${fact} has no parts: use a filter.`]
}

/**
 * The sentence with these facts.
 * @param mark changes each text before it is put into the sentence
 * @throws Error when it uses a fact that is neither there nor guarded by an `if`
 */
export function renderSentence(
  { template }: Sentence,
  facts: Facts,
  mark: (text: string) => string = (text) => text,
): string {
  const scope = Object.fromEntries(Object.entries(facts).map(([name, fact]) => [name, printed(name, fact.value, mark)]))
  const text = (engine.renderSync(template, scope) as string).trim()
  // A client's text may end with its own full stop; the end of an isolate may follow that.
  return text.replace(/([.!?…]\u2069?)\.$/, '$1')
}

/** A page of product description would push the answer to the claim off the first page. */
const GOODS: ReadonlySet<string> = new Set<FactName>(['goods', 'duplicateChargeGoods'])
const GOODS_MAX = 200

/** Texts print as one line, tables as a list of rows, several identifiers with commas between them. */
function printed(name: string, value: FactValue, mark: (text: string) => string) {
  const kind = isFactName(name) ? FACTS[name].kind : null
  if (kind !== null && isTable(kind)) return rowsOf(kind, value as TableValue).map(mark)
  if (Array.isArray(value)) return value.map(mark)
  if (typeof value !== 'string') return value
  return mark(
    kind === 'id' ? value.replaceAll(/\s*\n\s*/g, ', ') : excerpt(value, GOODS.has(name) ? GOODS_MAX : undefined),
  )
}

function listed(values: readonly string[]): string {
  const [last = '', ...rest] = [...values].reverse()
  return rest.length === 0 ? last : `${rest.reverse().join(', ')} and ${last}`
}
