import { createHmac, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount } from '../../../../db/merchants/accounts.ts'
import { createGroup } from '../../../../db/merchants/groups.ts'
import { currentSigningKey, readVerificationKey } from '../../../../db/merchants/signing-keys.ts'
import { createStage, type Stage } from '../stage.ts'

let stage: Stage
let kid: string
let privateKey: KeyObject
let publicKey: string
let foreignGroup: string
let foreignMerchant: string
beforeAll(async () => {
  stage = await createStage()
  ;({ kid, privateKey } = await currentSigningKey(stage.db, stage.ring))
  publicKey = (await readVerificationKey(stage.db, kid))?.publicKey ?? ''
  const { accountId } = await createAccount(stage.db, { name: 'Other' })
  ;({ groupId: foreignGroup } = await createGroup(stage.db, { accountId, name: 'Foreign' }))
  ;({ merchantUuid: foreignMerchant } = await stage.newMerchant(accountId))
})
afterAll(() => stage[Symbol.asyncDispose]())

const encode = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')
const part = (index: number) => stage.token.split('.')[index] ?? ''
const claims = () => JSON.parse(Buffer.from(part(1), 'base64url').toString()) as Record<string, unknown>
const header = () => ({ alg: 'EdDSA', typ: 'JWT', kid })
/** Signed with the service's own key, so that only header and claims can be wrong. */
function signed(payload: unknown, head: unknown = header()): string {
  const text = `${encode(head)}.${encode(payload)}`
  return `${text}.${sign(null, Buffer.from(text), privateKey).toString('base64url')}`
}
const hs256 = (secret: string, alg = 'HS256') => {
  const text = `${encode({ ...header(), alg })}.${part(1)}`
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`
}
const without = (name: string) => Object.fromEntries(Object.entries(claims()).filter(([key]) => key !== name))
const seconds = () => Math.floor(Date.now() / 1000)

const forgeries: Record<string, () => string> = {
  'alg none': () => `${encode({ ...header(), alg: 'none' })}.${part(1)}.${part(2)}`,
  'alg None': () => `${encode({ ...header(), alg: 'None' })}.${part(1)}.${part(2)}`,
  'alg nOnE without a signature': () => `${encode({ ...header(), alg: 'nOnE' })}.${part(1)}.`,
  'HS256 with the public key as secret': () => hs256(publicKey),
  'HS256 with the trimmed public key': () => hs256(publicKey.trim()),
  'HS512 in the header, signed with HMAC-SHA256': () => hs256(publicKey, 'HS512'),
  'RS256 in the header': () => signed(claims(), { ...header(), alg: 'RS256' }),
  'ES256 in the header': () => signed(claims(), { ...header(), alg: 'ES256' }),
  'no alg': () => signed(claims(), { typ: 'JWT', kid }),
  'no kid': () => signed(claims(), { alg: 'EdDSA', typ: 'JWT' }),
  'unknown kid': () => signed(claims(), { ...header(), kid: 'AAAAAAAAAAAAAAAA' }),
  'kid as a path': () => signed(claims(), { ...header(), kid: '../../../../dev/null' }),
  'kid as SQL': () => signed(claims(), { ...header(), kid: "x' union select '1" }),
  'kid as URL': () => signed(claims(), { ...header(), kid: 'https://evil.example/key' }),
  'kid as an array': () => signed(claims(), { ...header(), kid: [kid] }),
  jku: () => signed(claims(), { ...header(), jku: 'https://evil.example/jwks' }),
  x5u: () => signed(claims(), { ...header(), x5u: 'https://evil.example/cert' }),
  'unknown crit': () => signed(claims(), { ...header(), crit: ['x'], x: 1 }),
  'b64 false': () => signed(claims(), { ...header(), crit: ['b64'], b64: false }),
  'its own key in the header': () => {
    const own = generateKeyPairSync('ed25519')
    const text = `${encode({ ...header(), jwk: own.publicKey.export({ format: 'jwk' }) })}.${part(1)}`
    return `${text}.${sign(null, Buffer.from(text), own.privateKey).toString('base64url')}`
  },
  'signed by another key': () => {
    const text = `${part(0)}.${part(1)}`
    return `${text}.${sign(null, Buffer.from(text), generateKeyPairSync('ed25519').privateKey).toString('base64url')}`
  },
  'truncated signature': () => stage.token.slice(0, -10),
  'signature of other claims': () => `${part(0)}.${encode({ ...claims(), scope: 'account' })}.${part(2)}`,
  'first bit of the signature flipped': () => {
    const bytes = Buffer.from(part(2), 'base64url')
    bytes[0] = (bytes[0] ?? 0) ^ 1
    return `${part(0)}.${part(1)}.${bytes.toString('base64url')}`
  },
  'S of the signature plus the group order': () => {
    const bytes = Buffer.from(part(2), 'base64url')
    const order = 2n ** 252n + 27742317777372353535851937790883648493n
    const s = BigInt(`0x${Buffer.from(bytes.subarray(32)).reverse().toString('hex')}`) + order
    Buffer.from(s.toString(16).padStart(64, '0'), 'hex').reverse().copy(bytes, 32)
    return `${part(0)}.${part(1)}.${bytes.toString('base64url')}`
  },
  'spare bits of the last character changed': () => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const last = alphabet.indexOf(stage.token.at(-1) ?? '')
    return stage.token.slice(0, -1) + alphabet[last ^ 1]
  },
  'a body that is not JSON': () => signed('not json'),
  'a body that is an array': () => signed([claims()]),
  'a claim given twice': () => signed(`{"scope":"account",${JSON.stringify(claims()).slice(1)}`),
  'white space in the body': () => signed(JSON.stringify(claims(), null, 1)),
  expired: () => signed({ ...claims(), exp: seconds() - 61 }),
  'an expiry later than the credential’s': () => signed({ ...claims(), exp: Number(claims().exp) + 1 }),
  'an expiry as text': () => signed({ ...claims(), exp: String(claims().exp) }),
  'an infinite expiry': () => signed({ ...claims(), exp: 1e300 }),
  'issued in the future': () => signed({ ...claims(), iat: seconds() + 62 }),
  'valid only in the future': () => signed({ ...claims(), nbf: seconds() + 3600 }),
  'another issuer': () => signed({ ...claims(), iss: 'evil' }),
  'another audience': () => signed({ ...claims(), aud: 'other-api' }),
  'an audience as a list': () => signed({ ...claims(), aud: [claims().aud] }),
  'the other environment': () => signed({ ...claims(), env: 'production' }),
  'an unknown credential': () => signed({ ...claims(), sub: randomUUID() }),
  'a subject that is not an id': () => signed({ ...claims(), sub: "' or 1=1 --" }),
  'a subject as an object': () => signed({ ...claims(), sub: { id: claims().sub } }),
  'a wider scope': () => {
    const { merchantUuid: _, ...rest } = claims()
    return signed({ ...rest, scope: 'account' })
  },
  'two scopes at once': () => signed({ ...claims(), groupId: randomUUID() }),
  'an unknown scope': () => signed({ ...claims(), scope: 'everything' }),
  'a group of another account': () => {
    const { merchantUuid: _, ...rest } = claims()
    return signed({ ...rest, scope: 'group', groupId: foreignGroup })
  },
  'a merchant of another account': () => signed({ ...claims(), merchantUuid: foreignMerchant }),
  'an unknown claim': () => signed({ ...claims(), admin: true }),
  ...Object.fromEntries(
    ['iss', 'aud', 'sub', 'jti', 'iat', 'exp', 'env', 'scope', 'merchantUuid'].map((name) => [
      `no ${name}`,
      () => signed(without(name)),
    ]),
  ),
  'a megabyte of claims': () => `${part(0)}.${encode({ ...claims(), pad: 'x'.repeat(1_048_576) })}.${part(2)}`,
}

describe('forged tokens', () => {
  it('differ only by the forgery from a token that is accepted', async () => {
    const token = signed(claims())
    expect((await stage.call('GET', '/v1/chargebacks', { token })).status).toBe(200)
  })

  it.each(Object.keys(forgeries))('are refused: %s', async (name) => {
    const token = forgeries[name]?.() ?? ''
    const response = await stage.call('GET', '/v1/chargebacks', { token })
    expect(response.status).toBe(401)
    expect(response.body.message).toMatch(/^Authorization error\. (Credential is invalid|Invalid token format)$/)
  })

  it('are refused in a production process even when signed for the sandbox', async () => {
    const app = stage.secondApp({ environment: 'production' })
    expect((await stage.call('GET', '/v1/chargebacks', {}, app)).status).toBe(401)
  })
})
