import { Foreign } from '../parts/foreign.tsx'
import { labelOf, ruleValue } from '../parts/words.ts'
import type { Item } from './groups.ts'

type Reason = NonNullable<Item['scopeReason']>

/** What left a chargeback out: a rule with the value that it names, a person, or the contract. */
export function ScopeReason({ reason: { by, dimension, value = '' } }: { reason: Reason }) {
  if (by === 'should_fight') return <>Decided not to fight</>
  if (by === 'contract') return <>Not fought by default</>
  return (
    <>
      {labelOf(dimension ?? 'rule')}: <Foreign text={ruleValue(dimension, value)} />
    </>
  )
}
