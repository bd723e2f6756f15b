import type { Composition } from './compose.ts'

/** Sentences of this weight answer the claim; the others only support one that does. */
const ANSWER = 3
/** Asks that a sentence names. */
const NAMED = 3

/**
 * Why no evidence is built, as a sentence for the merchant; null when a sentence answers the claim. A round takes one answer:
 * a description of the goods alone would spend it.
 */
export function whyNothingIsBuilt(composed: Composition): string | null {
  const { manualOnly, statements, requiredMissing, missing, facts } = composed
  if (statements.some(({ kept, weight }) => kept && weight === ANSWER)) return null
  const code = facts.reasonCode?.value
  const claim = typeof code === 'string' ? `reason ${code}` : 'the claim'
  if (manualOnly)
    return `A person has to answer ${claim}: Recoup builds no evidence for it, and a file of your own can be submitted. Ask your PSP for the fees before you contest: they can be larger than the amount.`
  const asks = [...requiredMissing, ...missing].slice(0, NAMED)
  const send = asks.length > 0 ? `Send ${asks.join('; ')}.` : 'Correct what the warnings name.'
  return `Nothing that is known answers ${claim}. ${send}`
}
