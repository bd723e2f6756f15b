import { send, sendAs } from './call.ts'
import type { Schemas } from './operations.ts'

const ADDRESS = '/console/session'

/** Who is signed in; null when nobody is. Counts as use: it prolongs the session. */
export async function readSession(): Promise<Schemas['Me'] | null> {
  const response = await send(ADDRESS, { method: 'GET' })
  const { me } = (await response.json()) as { me?: Schemas['Me'] }
  sendAs(me?.credentialId)
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
