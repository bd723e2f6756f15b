import type { Schemas } from '../api/operations.ts'
import type { Me } from '../app/who.ts'

export type Entry = Schemas['AuditEntry']
export type Subject = Entry['subject']

export const SUBJECTS: Record<Subject, string> = {
  chargeback: 'chargeback',
  integration: 'integration',
  webhook_endpoint: 'webhook endpoint',
  merchant: 'automatic submission',
}

export const subjectOf = (text: string | null): Subject | undefined =>
  text !== null && text in SUBJECTS ? (text as Subject) : undefined

/** Name of credentials that were issued without one. */
const UNNAMED = 'unnamed'

/** Who did it, in words. A credential of another merchant has no name here, and older entries have no credential. */
export function whoOf({ by, credentialId, credentialName }: Entry, me: Pick<Me, 'credentialId'>): string {
  if (by === 'operator') return 'the operator'
  if (credentialId === undefined) return 'a client'
  const isNamed = credentialName !== undefined && credentialName !== UNNAMED
  const name = isNamed ? credentialName : `credential …${credentialId.slice(-6)}`
  return credentialId === me.credentialId ? `${name} (you)` : name
}

/** Where to look at what it is about. */
export function linkOf({ subject, subjectId }: Pick<Entry, 'subject' | 'subjectId'>): string | undefined {
  if (subject === 'chargeback') return `/console/chargebacks/${subjectId}`
  if (subject === 'integration') return `/console/integrations/${subjectId}`
  return subject === 'webhook_endpoint' ? `/console/webhooks/${subjectId}` : undefined
}

/** What a person reads of an entry, as name, former and new value; ids are left out. */
export function changesOf({
  before,
  after,
}: Pick<Entry, 'before' | 'after'>): [name: string, was: unknown, is: unknown][] {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])]
  return names
    .filter((name) => !/(Id|Ids)$/.test(name))
    .map((name): [string, unknown, unknown] => [name, before?.[name], after?.[name]])
    .filter(([, was, is]) => was !== undefined || (is !== undefined && is !== null && !isEmpty(is)))
}

const isEmpty = (value: unknown) => typeof value === 'object' && value !== null && Object.keys(value).length === 0
