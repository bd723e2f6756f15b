import { FACT_NAMES, FACTS, type FactName } from '../fact-catalogue.ts'
import type { Facts } from '../gather-facts.ts'
import { listed } from './document-exhibits.ts'
import { capital } from './tables.ts'

/** Whose records a fact is from. */
type Keeper = 'the merchant' | 'the payment provider'

interface Numbered {
  number: number
  facts: readonly FactName[]
  /** Whether a file is enclosed for it. */
  isEnclosed: boolean
}

/**
 * Sentences that name the source of each statement without an enclosed file, and then the statements with a file that the
 * payment provider recorded as well, because an issuer can check those. Empty if there are none. A table of Recoup's counts
 * as no file: it is made of the same records.
 */
export function sourcesOf(statements: readonly Numbered[], facts: Facts): string {
  const numbers = new Map<string, string[]>()
  for (const { number, facts: used } of statements.filter(({ isEnclosed }) => !isEnclosed)) {
    const keepers = [...new Set(used.flatMap((name) => keepersOf(name, facts)))].sort()
    const whose = keepers.length > 0 ? keepers.join(' and ') : 'the merchant'
    numbers.set(whose, [...(numbers.get(whose) ?? []), `${number}`])
  }
  const recorded = statements.flatMap(({ isEnclosed, facts: used, number }) =>
    isEnclosed && used.some((name) => isRecorded(name, facts)) ? [`${number}`] : [],
  )
  return [
    ...[...numbers].map(
      ([whose, of]) => `${capital(statementsOf(of))} ${of.length === 1 ? 'is' : 'are'} from the records of ${whose}.`,
    ),
    ...(recorded.length > 0 ? [`The payment provider recorded ${statementsOf(recorded)} as well.`] : []),
  ].join(' ')
}

const statementsOf = (numbers: readonly string[]) =>
  numbers.length === 1 ? `statement ${numbers[0]}` : `statements ${listed(numbers)}`

/** Facts that a derived fact follows from; undefined for earlier transactions, which are no fact. */
const basesOf = (name: FactName): (FactName | undefined)[] =>
  (FACTS[name].from ?? []).map((point) => FACT_NAMES.find((one) => FACTS[one].names?.includes(point)))

/** Whether the payment provider reported it, or a fact that it follows from, and knows it better than the merchant. */
function isRecorded(name: FactName, facts: Facts): boolean {
  const source = facts[name]?.source
  if (source === 'derived') return basesOf(name).some((base) => base !== undefined && isRecorded(base, facts))
  return source === 'psp' && FACTS[name].pspFirst === true
}

/** Of a derived fact those of the facts that it follows from. */
function keepersOf(name: FactName, facts: Facts): Keeper[] {
  const source = facts[name]?.source
  if (source === 'derived')
    return basesOf(name).flatMap((base) => (base === undefined ? ['the merchant'] : keepersOf(base, facts)))
  if (source === undefined) return []
  return [source === 'psp' || source === 'chargeback' ? 'the payment provider' : 'the merchant']
}
