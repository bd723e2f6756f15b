import type { Schemas } from '../api/operations.ts'
import { ruleValue } from '../parts/words.ts'

export type Rules = Schemas['ScopeSettings']
export type Options = Schemas['ScopeOptions']
export type Preview = Schemas['ScopePreviewRead']['data']
export type Share = Schemas['ScopePreviewShare']
export type Dimension = keyof Options

/** Dimensions of words, as people read them. */
export const DIMENSIONS: Record<Dimension, string> = {
  lifecycleStages: 'Stages',
  cardSchemes: 'Card schemes',
  paymentMethods: 'Payment methods',
  reasonGroups: 'Kinds of reasons',
  reasonCodes: 'Reason codes',
}
export const NAMES = Object.keys(DIMENSIONS) as Dimension[]

/** Rules while a person edits them: amounts are what was typed. */
export interface Draft {
  words: Record<Dimension, readonly string[]>
  min: string
  max: string
}

export const draftOf = (rules: Rules): Draft => ({
  words: Object.fromEntries(NAMES.map((name) => [name, [...(rules[name] ?? [])].sort()])) as unknown as Draft['words'],
  min: rules.chargebackAmount?.min === undefined ? '' : String(rules.chargebackAmount.min),
  max: rules.chargebackAmount?.max === undefined ? '' : String(rules.chargebackAmount.max),
})

/** What is wrong with the amounts. */
export function scopeFaults({ min, max }: Draft): Partial<Record<'min' | 'max', string>> {
  const isAmount = (text: string) => /^(\d{1,12}(\.\d{1,3})?)?$/.test(text.trim())
  const words = 'Write an amount like 20 or 20.50.'
  if (!isAmount(min) || !isAmount(max))
    return { ...(!isAmount(min) && { min: words }), ...(!isAmount(max) && { max: words }) }
  const isReversed = min.trim() !== '' && max.trim() !== '' && Number(min) > Number(max)
  return isReversed ? { min: 'The smallest must not be above the largest.' } : {}
}

/** The body that replaces the rules: what it lacks is cleared. */
export function bodyOf({ words, min, max }: Draft): Rules {
  const amount = {
    ...(min.trim() !== '' && { min: Number(min) }),
    ...(max.trim() !== '' && { max: Number(max) }),
  }
  const lists = NAMES.filter((name) => words[name].length > 0).map((name) => [name, [...words[name]].sort()])
  return { ...Object.fromEntries(lists), ...(Object.keys(amount).length > 0 && { chargebackAmount: amount }) }
}

/** The same rules have the same text. */
export const textOf = (draft: Draft) => JSON.stringify(bodyOf(draft))

/** Dimensions that have a rule now and would have none. */
export function clearedBy(draft: Draft, now: Draft): string[] {
  const cleared = NAMES.filter((name) => now.words[name].length > 0 && draft.words[name].length === 0)
  const hadAmount = now.min !== '' || now.max !== ''
  const hasAmount = draft.min.trim() !== '' || draft.max.trim() !== ''
  return [...cleared.map((name) => DIMENSIONS[name]), ...(hadAmount && !hasAmount ? ['Amounts'] : [])]
}

/** Why chargebacks are in a share: the rule, or a sentence. */
export function reasonText({ dimension, value, reason }: Share['reasons'][number]): string {
  if (dimension === undefined) return reason ?? ''
  if (dimension === 'chargebackAmount') return 'Amount'
  return `${DIMENSIONS[dimension]}: ${ruleValue(dimension, value)}`
}
