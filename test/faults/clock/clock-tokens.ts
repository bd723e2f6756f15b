import { sign } from 'node:crypto'
import { issueCredential } from '../../../db/merchants/credentials.ts'
import { currentSigningKey } from '../../../db/merchants/signing-keys.ts'
import type { Testbed } from '../testbed/prepare.ts'

/**
 * Tokens at an API whose clock is off by `seconds`: one that was issued just now and one that expires within that time
 * are valid, one that expired within it is not.
 * @returns violations
 */
export async function judgeTokens(testbed: Testbed, seconds: number): Promise<string[]> {
  const half = Math.abs(seconds) / 2
  const cases: [string, string, number][] = [
    ['a token issued just now', await tokenUntil(testbed, 10 * Math.abs(seconds)), 200],
    [`a token that expires in ${half} s`, await tokenUntil(testbed, half), 200],
    [`a token that expired ${half} s ago`, await tokenUntil(testbed, -half), 401],
  ]
  const why: string[] = []
  for (const [what, token, expected] of cases) {
    const status = await statusWith(testbed, token)
    if (status !== expected) why.push(`${what} got ${status}, not ${expected}`)
  }
  return why
}

/** A token as the service signs it; an expired one is signed again with an earlier expiry. */
async function tokenUntil({ stack }: Testbed, seconds: number): Promise<string> {
  const { db, ring, accountId } = stack
  const { credentialId, token } = await issueCredential(db, ring, {
    ...{ accountId, scope: 'account', environment: 'sandbox' },
    expiresAt: new Date(Date.now() + Math.abs(seconds) * 1_000),
  })
  if (seconds > 0) return token
  const exp = Math.floor(Date.now() / 1_000) + seconds
  await db
    .updateTable('credential')
    .set({ expires_at: new Date(exp * 1_000) })
    .where('credential_id', '=', credentialId)
    .execute()
  const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>
  const { kid, privateKey } = await currentSigningKey(db, ring)
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const signed = `${part({ alg: 'EdDSA', typ: 'JWT', kid })}.${part({ ...claims, iat: exp - 60, exp })}`
  return `${signed}.${sign(null, Buffer.from(signed), privateKey).toString('base64url')}`
}

async function statusWith({ stack }: Testbed, token: string): Promise<number> {
  const response = await fetch(`${stack.apis.at(-1)?.url}/v1/chargebacks`, {
    headers: { authorization: `Bearer ${token}` },
  })
  await response.arrayBuffer()
  return response.status
}
