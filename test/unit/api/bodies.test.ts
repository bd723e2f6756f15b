import fc from 'fast-check'
import { Hono } from 'hono'
import { describe, expect, it, vi } from 'vitest'
import type { Principal } from '../../../api/auth/principal.ts'
import type { ApiEnv } from '../../../api/context.ts'
import { checkJson, limitBodies } from '../../../api/http/body.ts'
import type { ApiError } from '../../../api/http/errors.ts'
import { costlyJson } from '../../../api/http/json-size.ts'
import { issuesSentence } from '../../../api/http/validation.ts'

describe('the check for costly JSON', () => {
  const fault = (text: string) => costlyJson(Buffer.from(text))

  it.each([
    ['', null],
    [`"${'['.repeat(40)}"`, null],
    [`"\\"${'['.repeat(40)}"`, null],
    ['['.repeat(32), null],
    ['['.repeat(33), 'nested deeper than 32 levels'],
    [`${'['.repeat(32)}${']'.repeat(40)}${'{'.repeat(40)}`, null],
    [`{"a":"${','.repeat(20_000)}"}`, null],
    [`[${Array(10_000).fill(1)}]`, null],
    [`[${Array(10_001).fill(1)}]`, 'made of more than 10000 values'],
    [`{"ключ,":[${Array(10_001).fill('"é,"')}]}`, 'made of more than 10000 values'],
  ])('finds in %.20s: %s', (text, expected) => {
    expect(fault(text)).toBe(expected)
  })

  it('measures the depth of any JSON value', () => {
    const depth = (value: unknown): number =>
      value !== null && typeof value === 'object' ? 1 + Math.max(0, ...Object.values(value).map(depth)) : 0
    const wrapped = (value: unknown, levels: number) =>
      `${'['.repeat(levels)}${JSON.stringify(value)}${']'.repeat(levels)}`
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.nat(32),
        (value, levels) => (fault(wrapped(value, levels)) !== null) === depth(value) + levels > 32,
      ),
    )
  })
})

it('large JSON bodies that arrive together are checked one after the other, with other work in between', async () => {
  const app = new Hono<ApiEnv>()
  app.onError((error, c) => c.text('', (error as ApiError).status))
  app.use(checkJson())
  app.post('/', (c) => c.text('ok'))
  const body = JSON.stringify({ a: 'x'.repeat(100_000) })
  const headers = { 'content-type': 'application/json' }
  const all = Array.from({ length: 20 }, async () => app.request('/', { method: 'POST', headers, body }))
  const ended: number[] = []
  let turns = 0
  for (const one of all) void one.then(() => ended.push(turns))
  while (ended.length < all.length) {
    await new Promise((resolve) => setImmediate(resolve))
    turns++
  }
  expect(new Set(ended).size).toBe(20)
  expect((await Promise.all(all)).map(({ status }) => status)).toEqual(Array(20).fill(200))
})

describe('concurrent uploads', () => {
  async function uploadApp() {
    const held: (() => void)[] = []
    const app = new Hono<ApiEnv>()
    app.onError((error, c) => c.text('', (error as ApiError).status))
    app.use(async (c, next) => {
      const credentialId = c.req.header('authorization') ?? ''
      c.set('principal', { credentialId, accountId: credentialId.slice(0, 3) } as Principal)
      await next()
    })
    app.use(limitBodies())
    app.post('/v1/files', async (c) => {
      await new Promise<void>((release) => held.push(release))
      return c.text('')
    })
    const upload = async (authorization: string) =>
      (await app.request('/v1/files', { method: 'POST', headers: { authorization }, body: 'x' })).status
    return { held, upload }
  }

  it('finding 2: sixteen slow uploads of one account leave half of the slots to others', async () => {
    const { held, upload } = await uploadApp()
    const ofOne = Array.from({ length: 16 }, (_, n) => upload(`one ${n % 4}`))
    await vi.waitUntil(() => held.length === 8)
    const refused = await Promise.race(ofOne)
    expect(refused).toBe(503)
    const ofAnother = Array.from({ length: 8 }, (_, n) => upload(`two ${n % 2}`))
    await vi.waitUntil(() => held.length === 16)
    expect(await upload('six 1')).toBe(503)
    for (const release of held.splice(0)) release()
    expect(await Promise.all(ofAnother)).toEqual(Array(8).fill(200))
    expect((await Promise.all(ofOne)).filter((status) => status === 200)).toHaveLength(8)
  })

  it('are limited per credential, and other credentials can continue', async () => {
    const { held, upload } = await uploadApp()
    const slow = Array.from({ length: 4 }, () => upload('one'))
    await vi.waitUntil(() => held.length === 4)
    expect(await upload('one')).toBe(503)
    slow.push(upload('another'))
    await vi.waitUntil(() => held.length === 5)
    for (const release of held.splice(0)) release()
    expect(await Promise.all(slow)).toEqual(Array(5).fill(200))
    const again = upload('one')
    await vi.waitUntil(() => held.length === 1)
    held[0]?.()
    expect(await again).toBe(200)
  })
})

describe('the message of a validation error', () => {
  it('names each field by its path, once, and missing ones as required', () => {
    const sentence = issuesSentence([
      { path: ['limit'], message: 'Must be 10' },
      { path: ['limit'], message: 'Must be 10' },
      { path: ['secret', 'keys', 0], message: 'Invalid input: expected string, received undefined' },
      { code: 'unrecognized_keys', path: [], keys: ['a', 'b'], message: '' },
      { path: [], message: 'Invalid input' },
    ])
    expect(sentence).toBe(
      'limit: Must be 10; secret.keys.0: Required; a: Unknown field; b: Unknown field; body: Invalid input',
    )
  })
})
