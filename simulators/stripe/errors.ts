/** An error response of Stripe. `executed` ones are stored for their idempotency key. */
export class StripeRefusal extends Error {
  readonly status: number
  readonly error: Record<string, unknown>
  readonly executed: boolean

  constructor(status: number, error: Record<string, unknown>, executed = false) {
    super(String(error.message))
    this.status = status
    this.error = error
    this.executed = executed
  }
}

const INVALID = 'invalid_request_error'

export function unknownParameter(param: string): StripeRefusal {
  const message = `Received unknown parameter: ${param}`
  return new StripeRefusal(400, { type: INVALID, code: 'parameter_unknown', param, message })
}

export function badParameter(param: string, message: string, code?: string): StripeRefusal {
  return new StripeRefusal(400, { type: INVALID, ...(code === undefined ? {} : { code }), param, message })
}

export function missingObject(kind: string, id: string, param = 'id'): StripeRefusal {
  const message = `No such ${kind}: '${id}'`
  return new StripeRefusal(404, { type: INVALID, code: 'resource_missing', param, message }, true)
}

/** An object named in a parameter, not in the path. */
export function missingReference(kind: string, id: string, param: string): StripeRefusal {
  return new StripeRefusal(400, { type: INVALID, code: 'resource_missing', param, message: `No such ${kind}: '${id}'` })
}

/** The state of the object forbids it. Stripe publishes no code for these. */
export function refusedByState(message: string): StripeRefusal {
  return new StripeRefusal(400, { type: INVALID, message }, true)
}

export function invalidKey(key: string): StripeRefusal {
  const shown = key === '' ? '' : `: ${key.slice(0, 8)}****${key.slice(-4)}`
  const message = key === '' ? 'You did not provide an API key.' : `Invalid API Key provided${shown}`
  return new StripeRefusal(401, { type: INVALID, message })
}

export function unreachableAccount(account: string): StripeRefusal {
  const message = `The provided key does not have access to account '${account}' (or that account does not exist). Application access may have been revoked.`
  return new StripeRefusal(403, { type: INVALID, code: 'account_invalid', message })
}

export function missingPermission(key: string, account: string, permission: string): StripeRefusal {
  const message = `The provided key '${key.slice(0, 8)}***' does not have the required permissions for this endpoint on account '${account}'. Enabling "${permission}" permissions on this key would allow this request to continue.`
  return new StripeRefusal(403, { type: INVALID, message })
}

export function keyReused(key: string): StripeRefusal {
  const message = `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}' if you meant to execute a different request.`
  return new StripeRefusal(400, { type: 'idempotency_error', message })
}

export function keyInUse(key: string): StripeRefusal {
  const message = `There is currently another in-progress request using this Idempotent Key: ${key}`
  return new StripeRefusal(409, { type: 'idempotency_error', code: 'idempotency_key_in_use', message })
}
