import type { Schemas } from '../api/operations.ts'

export type Alert = Schemas['Alert']
export type Outcome = Schemas['AlertOutcomeCode']
type Word = Extract<Outcome, 'stopped' | 'in_progress'> | Exclude<Outcome, `${number}`>

/** What became of an alert, in words. Codes of providers are for systems. A word that the API gains does not compile. */
export const OUTCOMES: Record<Word, string> = {
  in_progress: 'Somebody works on it (can be replaced later)',
  shipper_contacted: 'The shipper is asked to stop (can be replaced later)',
  stopped: 'The order was stopped',
  partially_stopped: 'A part of the order was stopped',
  previously_cancelled: 'It had been cancelled before',
  previously_refunded: 'It had been refunded before',
  missed: 'Too late: it was delivered',
  notfound: 'No such order',
  account_suspended: 'The account was suspended',
  resolved: 'Resolved',
  unresolved_dispute: 'Not resolved: a dispute follows',
  other: 'Something else',
}

export const REFUNDS = ['refunded', 'not refunded', 'not settled'] as const satisfies readonly NonNullable<
  Alert['refunded']
>[]

const INTERIM: readonly (Outcome | undefined)[] = [undefined, 'in_progress', 'shipper_contacted']

/** Whether its outcome may still be reported. */
export const isOpen = ({ outcome }: Pick<Alert, 'outcome'>) => INTERIM.includes(outcome)
export const outcomeText = (outcome: Outcome): string =>
  outcome in OUTCOMES ? OUTCOMES[outcome as Word].replace(/ \(.*\)$/, '') : `code ${outcome}`
