import type { Adapter, AdapterContext, AdapterDefinition, Capabilities } from './contract.ts'

/** Methods of a connected adapter that exist exactly with the capabilities `C`. */
type Declared<C extends Capabilities> =
  | (C['enrich'] extends true ? 'fetchContext' : never)
  | (C['accept'] extends false ? never : 'acceptDispute' | 'probe')
  | (C['contest'] extends false ? never : 'describeEvidence' | 'submitEvidence' | 'probe')
  | (C['contest'] extends { filesApi: true } ? 'uploadFile' : never)
  | (C['contest'] extends { mode: 'staged' } ? 'stageEvidence' : never)
  | (C['listing'] extends 'inbox' ? 'checkAnswerable' : never)
  | (C['notifications'] extends false ? never : 'verifyNotification' | 'readNotification')
type Declarable = Exclude<Declared<Everything>, never>
type Everything = {
  listing: 'inbox'
  maxLookbackDays: number
  enrich: true
  accept: Exclude<Capabilities['accept'], false>
  contest: Exclude<Capabilities['contest'], false> & { mode: 'staged'; filesApi: true }
  notifications: Exclude<Capabilities['notifications'], false>
}

type Connected<C extends Capabilities, Cursor> = Adapter<Cursor> &
  Required<Pick<Adapter<Cursor>, Declared<C>>> & { [M in Exclude<Declarable, Declared<C>>]?: never }

/** Pure functions and evidence limits that exist exactly with a capability. */
type Pure<C extends Capabilities> = (C['enrich'] extends true
  ? Required<Pick<AdapterDefinition, 'toTransaction'>>
  : { toTransaction?: never }) &
  (C['contest'] extends false
    ? { planSubmission?: never; evidence: null }
    : Required<Pick<AdapterDefinition, 'planSubmission'>> & { evidence: NonNullable<AdapterDefinition['evidence']> }) &
  (C['notifications'] extends false
    ? { hasDeliveryHeaders?: never }
    : Required<Pick<AdapterDefinition, 'hasDeliveryHeaders'>>)

/**
 * Returns the definition unchanged. The types require each group of methods exactly where its capability is declared: a
 * missing one, and an undeclared one, do not compile.
 */
export function defineAdapter<Secret, Cursor, const C extends Capabilities>(
  definition: AdapterDefinition<Secret, Cursor> &
    Pure<C> & { capabilities: C; connect(context: AdapterContext<Secret>): Connected<C, Cursor> },
): AdapterDefinition<Secret, Cursor> {
  return definition
}
