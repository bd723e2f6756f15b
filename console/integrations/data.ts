import type { Schemas } from '../api/operations.ts'
import { cache } from '../api/use-read.ts'
import type { SignOf } from '../parts/sign.tsx'

export type Integration = Schemas['Integration']
export type Option = Schemas['IntegrationOption']

export const INTEGRATIONS = '/console/integrations'
export const EVERY_MS = 15_000
/** Enough for one page: a merchant has a few. */
export const LIST = { limit: 100, expand: 'details' } as const

const ABOUT = ['listIntegrations ', 'readIntegration ', 'listQuarantine ']

/** Reads again what an act changes. */
export async function readAgain(): Promise<void> {
  await Promise.all(ABOUT.map((prefix) => cache.invalidate(prefix)))
}

const SIGNS = {
  SUCCESSFUL: ['●', 'good'],
  PENDING: ['○', 'warn'],
  FAILED: ['▲', 'bad'],
  INACTIVE: ['■', 'muted'],
} as const satisfies Record<Integration['status'], SignOf>

/** Shape and colour beside the API's word: never the colour alone. */
export function signOf({ status, problem, details }: Integration): SignOf {
  if (status === 'SUCCESSFUL' && (problem !== undefined || details?.paused)) return ['▲', 'warn']
  return SIGNS[status]
}

/** One field of a credential, for a form. */
export interface SecretField {
  name: string
  title: string
  help: string
  secret: boolean
  required: boolean
  /** Only verifies notifications: it may be added later. */
  later: boolean
}

type SecretType = Option['secretTypes'][number]

/** Fields of a credential from its JSON Schema, required ones first; without those that nobody needs to fill in. */
export function fieldsOf({ schema, notificationFields }: SecretType): SecretField[] {
  const { properties = {}, required = [] } = schema as {
    properties?: Record<string, { title?: string; description?: string; writeOnly?: boolean; deprecated?: boolean }>
    required?: string[]
  }
  const asked = Object.entries(properties).filter(([, { deprecated }]) => !deprecated)
  const fields = asked.map(([name, { title = name, description = '', writeOnly = false }]) => {
    const isRequired = required.includes(name)
    const later = notificationFields.includes(name) && !isRequired
    return { name, title, help: description, secret: writeOnly, required: isRequired, later }
  })
  return [...fields.filter((one) => one.required), ...fields.filter((one) => !one.required)]
}

/** The payload of what was filled in; undefined values and empty ones are left out. */
export const payloadOf = (values: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value.trim() !== ''))
