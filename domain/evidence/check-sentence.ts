import { FACT_NAMES, FACTS, type FactName } from './fact-catalogue.ts'
import type { Fact, Facts, FactValue } from './gather-facts.ts'
import { readCorrespondence } from './structures/correspondence.ts'
import { readOrderItems } from './structures/order-items.ts'
import { readTimeline } from './structures/timeline.ts'
import { faultsOfTemplate, parseSentence, renderSentence, type Sentence } from './templates.ts'
import { readDate } from './written-dates.ts'
import { readMoney } from './written-money.ts'

/** A case to write sentences about: one value for each kind of fact. */
interface SampleCase {
  date: FactValue | null
  money: FactValue | null
  list: readonly string[]
  text: string
}

const TIMED: SampleCase = {
  date: readDate('2026-03-06T11:42:00Z'),
  money: readMoney('12.00 USD', null),
  list: ['one', 'two'],
  text: 'value',
}

/** Days without a time, a currency without fractions, a client's text with its own full stop. */
const DAYS: SampleCase = {
  date: readDate('2026-03-06'),
  money: readMoney('1250 JPY', null),
  list: ['one'],
  text: 'The "blue" ones (size 42).',
}

/** Another zone, large amounts, texts longer than a sentence quotes. */
const LONG: SampleCase = {
  date: readDate('2026-03-06T23:05:00-03:30'),
  money: readMoney('1234567.890 KWD', null),
  list: ['one', 'two', 'three'],
  text: Array(200).fill('حذاء').join(' '),
}

/** Every fault of a sentence, as sentences: of its template, and of what it says in three cases. */
export function faultsOfSentence(text: string, optional: readonly FactName[]): string[] {
  const faults = faultsOfTemplate(text)
  if (faults.length > 0) return faults
  try {
    const sentence = parseSentence(text, optional)
    const found = new Map<string, string>()
    for (const known of subsetsOf(optional))
      for (const sample of known.length === 0 || known.length === optional.length ? [TIMED, DAYS, LONG] : [TIMED])
        for (const [kind, fault] of faultsIn(sample, sentence, known, optional))
          if (!found.has(kind)) found.set(kind, fault)
    return [...found.values()]
  } catch (error) {
    return [(error as Error).message]
  }
}

/** All of them first, because a fault that has nothing to do with them is then reported without them. */
function* subsetsOf<T>(all: readonly T[]): Iterable<T[]> {
  for (let bits = 2 ** all.length - 1; bits >= 0; bits -= 1) yield all.filter((_, index) => bits & (1 << index))
}

/** What no sentence may show. */
const ODD: readonly [RegExp, string][] = [
  [/^$/, 'It is empty'],
  [/undefined|NaN|\[object|\{\{|\}\}/, 'It shows a value that is none'],
  [/onetwo/, 'It shows a list without a filter'],
  [/ {2}|\(\s*\)| [,.]/, 'It has a gap'],
]

/** Faults by kind, so that each kind is reported for one case only. */
function faultsIn(
  sample: SampleCase,
  sentence: Sentence,
  known: readonly FactName[],
  optional: readonly FactName[],
): [string, string][] {
  const absent = optional.filter((name) => !known.includes(name))
  const where = absent.length > 0 ? ` without ${absent.join(', ')}` : ''
  try {
    const said = renderSentence(sentence, sampleFacts(sample, [...sentence.needs, ...known]))
    return ODD.flatMap(([pattern, what]) => (pattern.test(said) ? [[what, `${what}${where}.`]] : []))
  } catch (error) {
    const missing = /^undefined variable: (\w+)/.exec((error as Error).message)?.[1]
    const why = missing ? `${missing} is not known` : 'a filter does not fit its fact'
    return [[why, `It can’t be written${where}: ${why}.`]]
  }
}

const SAMPLE_TIME = new Date('2026-04-01T00:00:00Z')

const LISTS = {
  items: readOrderItems('orderItems', { name: 'one' }, null).value,
  messages: readCorrespondence('customerCommunication', { sent: '2026-03-06', body: 'one' }, SAMPLE_TIME).value,
  events: readTimeline('timeline', { when: '2026-03-06', what: 'one' }, SAMPLE_TIME).value,
}

function sampleFacts({ text, ...values }: SampleCase, names: readonly FactName[]): Facts {
  const of: Record<string, FactValue | null> = { ...values, ...LISTS, flag: true }
  const fact = (name: FactName): [FactName, Fact] => [
    name,
    { value: of[FACTS[name].kind] ?? `${name} ${text}`, source: 'client', name, at: null },
  ]
  return Object.fromEntries(FACT_NAMES.filter((name) => names.includes(name)).map(fact))
}
