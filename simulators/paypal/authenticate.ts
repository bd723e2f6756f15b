import { tokenOf } from '../engine/draw.ts'
import type { DisputeEngine } from '../engine/engine.ts'
import { PayPalRefusal } from './errors.ts'
import { appOf, CLIENT_SECRET, SCOPES, type Scope } from './keys.ts'

/** Lifetime of a token in seconds, as at PayPal. */
const LIFE = 32_400
/** Tokens that one app may request per minute. */
const MINTED_PER_MINUTE = 60

/** The caller. */
export interface Caller {
  account: string
  scopes: readonly Scope[]
}

/** Tokens are lost in a restart: the adapter then requests new ones. */
export interface Authenticator {
  mint(authorization: string, form: string): string
  authenticate(authorization: string, scope: Scope): Caller
}

export function createAuthenticator(engine: DisputeEngine): Authenticator {
  const tokens = new Map<string, Caller & { expiresAt: number }>()
  const minted = new Map<string, number[]>()
  let count = 0

  return {
    mint(authorization, form) {
      const [scheme = '', value = ''] = authorization.split(' ')
      const [id = '', secret] = Buffer.from(value, 'base64').toString('utf8').split(':')
      const app = scheme.toLowerCase() === 'basic' && secret === CLIENT_SECRET ? appOf(id) : undefined
      if (!app) throw new PayPalRefusal(401, 'invalid_client')
      if (new URLSearchParams(form).get('grant_type') !== 'client_credentials') {
        throw new PayPalRefusal(400, 'unsupported_grant_type')
      }
      const now = engine.now()
      const recent = (minted.get(id) ?? []).filter((at) => at > now - 60)
      if (recent.length >= MINTED_PER_MINUTE) throw new PayPalRefusal(429, 'RATE_LIMIT_REACHED')
      minted.set(id, [...recent, now])
      count += 1
      const token = `A21AA${tokenOf(30, engine.seed, 'token', process.pid, Date.now(), count)}`
      tokens.set(token, { ...app, expiresAt: now + LIFE })
      return JSON.stringify({
        scope: app.scopes.map((scope) => SCOPES[scope]).join(' '),
        access_token: token,
        token_type: 'Bearer',
        app_id: 'APP-80W284485P519543T',
        expires_in: LIFE,
        nonce: `${new Date(now * 1000).toISOString()}${tokenOf(20, token, 'nonce')}`,
      })
    },
    authenticate(authorization, scope) {
      const [scheme = '', value = ''] = authorization.split(' ')
      const caller = scheme.toLowerCase() === 'bearer' ? tokens.get(value) : undefined
      if (!caller || caller.expiresAt <= engine.now()) throw new PayPalRefusal(401, 'invalid_token')
      if (!caller.scopes.includes(scope)) throw new PayPalRefusal(403, 'NOT_AUTHORIZED')
      return caller
    },
  }
}
