import { send } from './call.ts'

/** The end of the session, by the server's clock. */
export interface SessionTimes {
  now: string
  idleEndsAt: string
  endsAt: string
}

const ADDRESS = '/console/session'

/** Null when nobody is signed in. Counts as use: it prolongs the session. */
export async function readSession(): Promise<SessionTimes | null> {
  const response = await send(ADDRESS, { method: 'GET' })
  const session = (await response.json()) as { signedIn: boolean } & SessionTimes
  return session.signedIn ? session : null
}

/** @throws CallFailure 401 for a bad token */
export const signIn = (token: string) =>
  send(ADDRESS, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  })

export const signOut = () => send(ADDRESS, { method: 'DELETE' })
