import { FACT_NAMES, FACTS, type FactName } from '../fact-catalogue.ts'
import type { Facts } from '../gather-facts.ts'
import { listed } from './document-exhibits.ts'

/** Whose records a fact is from. */
type Keeper = 'the merchant' | 'the payment provider'

/**
 * Where statements are from that neither a file nor a table shows, in sentences; empty if there are none. An issuer can
 * check what the payment provider recorded.
 */
export function sourcesOf(unshown: readonly { number: number; facts: readonly FactName[] }[], facts: Facts): string {
  const numbers = new Map<string, string[]>()
  for (const { number, facts: used } of unshown) {
    const keepers = [...new Set(used.flatMap((name) => keepersOf(name, facts)))].sort()
    const whose = keepers.length > 0 ? keepers.join(' and ') : 'the merchant'
    numbers.set(whose, [...(numbers.get(whose) ?? []), `${number}`])
  }
  return [...numbers]
    .map(
      ([whose, of]) =>
        `Statement${of.length === 1 ? ` ${of[0]} is` : `s ${listed(of)} are`} from the records of ${whose}.`,
    )
    .join(' ')
}

/** Of a derived fact those of the facts that it follows from. */
function keepersOf(name: FactName, facts: Facts): Keeper[] {
  const source = facts[name]?.source
  if (source === 'derived')
    return (FACTS[name].from ?? []).flatMap((point) => {
      const base = FACT_NAMES.find((one) => FACTS[one].names?.includes(point))
      return base === undefined ? ['the merchant'] : keepersOf(base, facts)
    })
  if (source === undefined) return []
  return [source === 'psp' || source === 'chargeback' ? 'the payment provider' : 'the merchant']
}
