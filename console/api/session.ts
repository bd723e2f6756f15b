import { send } from './call.ts'

/** The end of the session, by the server's clock. */
export interface SessionTimes {
  now: string
  idleEndsAt: string
  endsAt: string
}

const ADDRESS = '/console/session'
const timesOf = async (response: Response) => (await response.json()) as SessionTimes

/** @throws CallFailure 401 without a session */
export const readSession = async () => timesOf(await send(ADDRESS, { method: 'GET' }))

/** @throws CallFailure 401 for a bad token */
export const signIn = async (token: string) =>
  timesOf(
    await send(ADDRESS, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token }),
    }),
  )

export const signOut = () => send(ADDRESS, { method: 'DELETE' })
