import type { Schemas } from '../api/operations.ts'

export type Settings = Schemas['SettingsRead']['data']
export type OwnPolicy = Schemas['AutomaticSubmissionSettings']
export type PolicyPreview = Schemas['SettingsPreview']['data']
export type Play = NonNullable<OwnPolicy['plays']>[number]
type Blocker = PolicyPreview['blocked'][number]['code']

/** What stops an automatic submission. A code that the API gains and this lacks does not compile. */
export const BLOCKERS: Record<Blocker, string> = {
  policy_manual: 'This policy leaves them to people',
  held: 'Somebody holds them',
  not_building: 'Data is still awaited',
  command_exists: 'An acceptance or a submission is running, or was tried',
  client_file: 'Somebody prepares a file of their own',
  no_package: 'The evidence is being built',
  package_stale: 'The evidence is being built again',
  required_missing: 'Required data is missing',
  completeness: 'Less complete than the policy asks for',
  contradiction: 'Facts contradict each other',
  recommendation_accept: 'Recoup advises to accept',
  compliance: 'Claims of this kind are for people',
  overdue: 'Overdue',
  psp_not_answerable: 'The PSP takes no evidence now',
  integration_unusable: 'The integration does not work',
  answered_elsewhere: 'Answered through another connection',
}

/** The merchant's own policy while a person edits it. An empty field is the account's. */
export interface PolicyDraft {
  mode: '' | 'manual' | 'auto'
  hours: string
  /** Percent. */
  completeness: string
  /** `EUR 20, USD 25`. */
  amounts: string
  /** Null: the account's. */
  plays: readonly Play[] | null
}

const percent = (share: number) => String(Math.round(share * 1_000) / 10)
export const amountsText = (amounts: Readonly<Record<string, number>>): string =>
  Object.entries(amounts)
    .sort()
    .map(([currency, amount]) => `${currency} ${amount}`)
    .join(', ')

export const policyDraftOf = (own: OwnPolicy): PolicyDraft => ({
  mode: own.mode ?? '',
  hours: own.hoursBeforeDue === undefined ? '' : String(own.hoursBeforeDue),
  completeness: own.minCompleteness === undefined ? '' : percent(own.minCompleteness),
  amounts: own.minAmount === undefined ? '' : amountsText(own.minAmount),
  plays: own.plays ?? null,
})

export type PolicyFaults = Partial<Record<'hours' | 'completeness' | 'amounts' | 'plays', string>>

const numberIn = (text: string, low: number, high: number) =>
  /^\d{1,6}(\.\d{1,3})?$/.test(text.trim()) && Number(text) >= low && Number(text) <= high

/** What is wrong with the fields. */
export function policyFaults({ hours, completeness, amounts, plays }: PolicyDraft): PolicyFaults {
  return {
    ...(hours.trim() !== '' && !numberIn(hours, 30, 240) && { hours: 'Write a number from 30 to 240.' }),
    ...(completeness.trim() !== '' &&
      !numberIn(completeness, 0, 100) && { completeness: 'Write a number from 0 to 100.' }),
    ...(amounts.trim() !== '' && readAmounts(amounts) === null && { amounts: 'Write amounts like EUR 20, USD 25.50.' }),
    ...(plays?.length === 0 && { plays: 'Choose at least one.' }),
  }
}

/** @returns null for what is no list of amounts */
export function readAmounts(text: string): Record<string, number> | null {
  const amounts: Record<string, number> = {}
  for (const part of text.split(',')) {
    const [, currency = '', amount = ''] = /^\s*([A-Za-z]{3})\s+(\d{1,12}(?:\.\d{1,3})?)\s*$/.exec(part) ?? []
    if (currency === '' || currency.toUpperCase() in amounts) return null
    amounts[currency.toUpperCase()] = Number(amount)
  }
  return amounts
}

/** The merchant's own policy; `{}`: the account's is valid as a whole. */
export function ownPolicyOf({ mode, hours, completeness, amounts, plays }: PolicyDraft): OwnPolicy {
  return {
    ...(mode !== '' && { mode }),
    ...(hours.trim() !== '' && { hoursBeforeDue: Number(hours) }),
    ...(completeness.trim() !== '' && { minCompleteness: Number(completeness) / 100 }),
    ...(amounts.trim() !== '' && { minAmount: readAmounts(amounts) ?? {} }),
    ...(plays !== null && { plays: [...plays].sort() }),
  }
}
export const policyText = (draft: PolicyDraft) => JSON.stringify(ownPolicyOf(draft))
