/**
 * A change or read that the stored records do not allow. `message` is a sentence for the client, `code` its stable
 * name. `missing` is the same for a missing record and for another tenant's.
 */
export class Refusal extends Error {
  readonly kind: 'missing' | 'invalid'
  readonly code: string

  constructor(kind: 'missing' | 'invalid', code: string, message: string) {
    super(message)
    this.name = 'Refusal'
    this.kind = kind
    this.code = code
  }
}

/** Whether Postgres rejected a row because of that unique index. */
export function violates(error: unknown, constraint: string): boolean {
  const { code, constraint: name } = error as { code?: unknown; constraint?: unknown }
  return code === '23505' && name === constraint
}

export const integrationNotFound = () =>
  new Refusal('missing', 'integration_not_found', 'There is no integration with this id.')
