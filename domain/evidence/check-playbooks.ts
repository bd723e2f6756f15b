import { CARD_SCHEMES, type CardScheme } from '../chargeback.ts'
import { REASON_CODE_CATALOGUE } from '../reason-codes.ts'
import { FACT_NAMES, FACTS, type FactName } from './fact-catalogue.ts'
import type { Fact, Facts, FactValue } from './gather-facts.ts'
import type { Playbook, Statement } from './playbooks/playbook.ts'
import { playOf } from './plays.ts'
import { readCorrespondence } from './structures/correspondence.ts'
import { readOrderItems } from './structures/order-items.ts'
import { readTimeline } from './structures/timeline.ts'
import { parseSentence, renderSentence } from './templates.ts'
import { readDate } from './written-dates.ts'
import { readMoney } from './written-money.ts'

/** A fault of a playbook, by where it is. */
export interface PlaybookFault {
  path: string
  message: string
}

/** Every fault of the playbooks: texts that don't parse or render, and ids that come twice. */
export function checkPlaybooks(playbooks: readonly Playbook[]): PlaybookFault[] {
  return playbooks.flatMap(({ id, statements }) => {
    const ids = statements.map((one) => one.id)
    const twice = ids.filter((one, index) => ids.indexOf(one) !== index)
    return [
      ...twice.map((one) => ({ path: `${id}.${one}`, message: 'The id comes twice.' })),
      ...statements.flatMap((one) => faultsOf(one).map((message) => ({ path: `${id}.${one.id}`, message }))),
    ]
  })
}

/** Reason codes without a play, as `scheme code`. */
export function codesWithoutPlay(): string[] {
  return CARD_SCHEMES.flatMap((cardScheme: CardScheme) =>
    (REASON_CODE_CATALOGUE[cardScheme] ?? [])
      .filter((reasonCode) => !playOf({ cardScheme, reasonCode, reason: null, amountMinor: 1n }).known)
      .map((code) => `${cardScheme} ${code}`),
  )
}

function faultsOf({ text, optional = [], needsExhibit, exhibits = [] }: Statement): string[] {
  try {
    const sentence = parseSentence(text, optional)
    const full = renderSentence(sentence, sampleFacts())
    const least = renderSentence(sentence, sampleFacts(sentence.needs))
    return [
      ...(needsExhibit && exhibits.length === 0 ? ['It needs a file, but names no kind.'] : []),
      ...[full, least].flatMap((one) => oddities(one)),
    ]
  } catch (error) {
    return [(error as Error).message.split('\n')[0] ?? 'It does not render.']
  }
}

/** What no sentence may hold. */
const ODD: readonly [RegExp, string][] = [
  [/^$/, 'It is empty.'],
  [/undefined|NaN|\[object|\{\{|\}\}/, 'It shows a value that is none.'],
  [/ {2}|\(\s*\)| [,.]/, 'It has a gap.'],
]

const oddities = (sentence: string) => ODD.flatMap(([pattern, message]) => (pattern.test(sentence) ? [message] : []))

const SAMPLE_TIME = new Date('2026-04-01T00:00:00Z')

/** One value for each fact. */
function sampleFacts(names: readonly FactName[] = FACT_NAMES): Facts {
  const values: Record<string, FactValue | null> = {
    date: readDate('2026-03-06T11:42:00Z'),
    money: readMoney('12.00 USD', null),
    flag: true,
    list: ['one', 'two'],
    items: readOrderItems('orderItems', { name: 'one' }, null).value,
    messages: readCorrespondence('customerCommunication', { sent: '2026-03-06', body: 'one' }, SAMPLE_TIME).value,
    events: readTimeline('timeline', { when: '2026-03-06', what: 'one' }, SAMPLE_TIME).value,
  }
  const fact = (name: FactName): [FactName, Fact] => [
    name,
    { value: values[FACTS[name].kind] ?? `${name} value`, source: 'client', name, at: null },
  ]
  return Object.fromEntries(names.map(fact))
}
