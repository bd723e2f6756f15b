import { send, sendAs } from './call.ts'
import type { Schemas } from './operations.ts'

const ADDRESS = '/console/session'

let endsAt = Number.POSITIVE_INFINITY

/** When the session ends whatever the person does, by the server's clock, ms: after 12 hours, or with the credential. */
export const sessionEndsAt = () => endsAt

/**
 * Who is signed in; null when nobody is. Counts as use: it prolongs the session.
 * @param background the person did not cause it, so it does not
 */
export async function readSession({ background = false } = {}): Promise<Schemas['Me'] | null> {
  const response = await send(ADDRESS, {
    method: 'GET',
    ...(background && { headers: { 'x-console-background': '1' } }),
  })
  const { me, endsAt: end } = (await response.json()) as { me?: Schemas['Me']; endsAt?: string }
  sendAs(me?.credentialId)
  endsAt = end === undefined ? Number.POSITIVE_INFINITY : Date.parse(end)
  return me ?? null
}

/** @throws CallFailure 401 for a bad token */
export const signIn = (token: string) =>
  send(ADDRESS, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  })

export const signOut = () => send(ADDRESS, { method: 'DELETE' })
