import fc from 'fast-check'
import { Hono } from 'hono'
import { describe, expect, it, vi } from 'vitest'
import type { Principal } from '../../../api/auth.ts'
import { limitBodies } from '../../../api/body.ts'
import type { ApiEnv } from '../../../api/context.ts'
import type { ApiError } from '../../../api/errors.ts'
import { depthOf } from '../../../api/json-depth.ts'
import { issuesSentence } from '../../../api/validation.ts'

describe('the depth of a body', () => {
  it.each([
    ['', 0],
    ['"[[["', 0],
    ['"\\"[["', 0],
    ['[]', 1],
    ['{"a":[{"b":"}]"}]}', 3],
    ['[[[', 3],
    [']]]]', 0],
  ])('of %s is %d', (text, depth) => {
    expect(depthOf(text)).toBe(depth)
  })

  it('is that of the value, whatever JSON it is', () => {
    const measure = (value: unknown): number =>
      value !== null && typeof value === 'object' ? 1 + Math.max(0, ...Object.values(value).map(measure)) : 0
    fc.assert(fc.property(fc.jsonValue(), (value) => depthOf(JSON.stringify(value)) === measure(value)))
  })
})

describe('uploads at once', () => {
  it('are a few of one credential, and others go on', async () => {
    const held: (() => void)[] = []
    const app = new Hono<ApiEnv>()
    app.onError((error, c) => c.text('', (error as ApiError).status))
    app.use(async (c, next) => {
      c.set('principal', { credentialId: c.req.header('authorization') } as Principal)
      await next()
    })
    app.use(limitBodies())
    app.post('/v1/files', async (c) => {
      await new Promise<void>((release) => held.push(release))
      return c.text('')
    })
    const upload = async (authorization: string) =>
      (await app.request('/v1/files', { method: 'POST', headers: { authorization }, body: 'x' })).status
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

describe('the sentence of a validation', () => {
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
