import { createHash, randomBytes } from 'node:crypto'
import type { Context } from 'hono'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import { inScope } from '../../db/core/scope.ts'
import {
  endConsoleSession,
  IDLE_MS,
  LONGEST_MS,
  readConsoleSession,
  startConsoleSession,
  touchConsoleSession,
} from '../../db/merchants/console-sessions.ts'
import { touchCredential } from '../../db/merchants/credentials.ts'
import { addressNotAllowed, type Caller, callerOf, rejections } from '../auth/auth.ts'
import { verifyToken } from '../auth/token.ts'
import type { ApiDeps, ApiEnv } from '../context.ts'
import { ApiError } from '../http/errors.ts'
import { cookieOf, type PublicUrl } from './public-url.ts'

/** Sent by the page with requests that its person did not cause: they don't prolong the session. */
const BACKGROUND = 'x-console-background'

/** Sent by the page with requests: the credential of the person whom it shows. All tabs of a browser share a cookie. */
const PERSON = 'x-console-credential'

export interface SessionTimes {
  now: string
  /** End without a further request of the person. */
  idleEndsAt: string
  /** End in any case. */
  endsAt: string
}

export type ConsoleSessions = ReturnType<typeof createConsoleSessions>

const hashOf = (secret: string) => createHash('sha256').update(secret).digest()
const ended = () => new ApiError(401, 'session_ended', 'Your session has ended. Sign in again.')

/** Sessions of the console: an opaque cookie whose hash is a row; docs/decisions/0070. */
export function createConsoleSessions({ db, environment, now = () => new Date() }: ApiDeps, publicUrl: PublicUrl) {
  const secretOf = (c: Context) => publicUrl.cookie && getCookie(c, publicUrl.cookie.name)
  const end = (secret: string) => inScope('system', () => endConsoleSession(db, hashOf(secret)))

  async function find(c: Context<ApiEnv>): Promise<{ caller: Caller; times: SessionTimes } | null> {
    const secret = secretOf(c)
    const at = now()
    const session = secret ? await inScope('system', () => readConsoleSession(db, hashOf(secret), at)) : null
    if (!secret || !session) return null
    const { credential, endsAt } = session
    let { seenAt } = session
    if (c.req.header(BACKGROUND) === undefined) {
      await inScope('system', async () => {
        if (await touchConsoleSession(db, hashOf(secret), seenAt, at))
          await touchCredential(db, credential.credentialId)
      })
      seenAt = at
    }
    return { caller: callerOf(credential), times: timesOf(at, seenAt, endsAt) }
  }

  return {
    /** Session of the request's cookie; null without one that lasts. */
    find,

    /** @throws ApiError 401 session_ended, also when another person has signed in since the page was loaded */
    async callerOf(c: Context<ApiEnv>): Promise<Caller> {
      const session = await find(c)
      const person = c.req.header(PERSON)
      if (!session || (person !== undefined && person !== session.caller.credentialId)) throw ended()
      return session.caller
    },

    /**
     * Exchanges a bearer token for a new cookie. A cookie that came with the request is not adopted: its session ends.
     * @throws ApiError 401, 403
     */
    async start(c: Context<ApiEnv>, token: string): Promise<SessionTimes> {
      const cookie = cookieOf(publicUrl)
      const verified = await inScope('system', () => verifyToken(db, token, environment, now))
      if (!verified) throw rejections.invalid()
      const { credential, kid, epoch, goodUntil } = verified
      if (!callerOf({ ...credential, epoch }).allows(c.get('clientAddress'))) throw addressNotAllowed()
      const former = secretOf(c)
      if (former) await end(former)
      const secret = randomBytes(32).toString('base64url')
      const at = now()
      const endsAt = new Date(Math.min(at.getTime() + LONGEST_MS, credential.expiresAt.getTime(), goodUntil))
      const { credentialId } = credential
      await inScope('system', async () => {
        await startConsoleSession(db, { hash: hashOf(secret), credentialId, kid, now: at, endsAt })
        await touchCredential(db, credentialId)
      })
      setCookie(c, cookie.name, secret, { path: '/', httpOnly: true, sameSite: 'Strict', secure: cookie.secure })
      return timesOf(at, at, endsAt)
    },

    /** Ends the session, also for a copy of its cookie. */
    async end(c: Context<ApiEnv>): Promise<void> {
      const secret = secretOf(c)
      if (secret) await end(secret)
      if (publicUrl.cookie) deleteCookie(c, publicUrl.cookie.name, { path: '/', secure: publicUrl.cookie.secure })
    },
  }
}

const timesOf = (now: Date, seenAt: Date, endsAt: Date): SessionTimes => ({
  now: now.toISOString(),
  idleEndsAt: new Date(Math.min(seenAt.getTime() + IDLE_MS, endsAt.getTime())).toISOString(),
  endsAt: endsAt.toISOString(),
})
