import { executionAsyncResource } from 'node:async_hooks'
import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { capturingFetch, retryAfterMs } from '../../../adapters/shared/http.ts'
import { pspFetch } from '../../../adapters/shared/psp-fetch.ts'
import { sendJson, startLoopback } from './loopback.ts'

const now = new Date('2026-11-21T10:00:00Z')

describe('Retry-After', () => {
  test.each([
    ['7', 7000],
    ['0', 0],
    ['1.5', 1500],
    ['Sat, 21 Nov 2026 10:00:30 GMT', 30_000],
    ['Sat, 21 Nov 2026 09:00:00 GMT', 0],
    ['36000', 3_600_000],
    ['Sun, 21 Nov 2027 10:00:00 GMT', 3_600_000],
    ['-5', 0],
  ])('%s is %i ms', (header, expected) => expect(retryAfterMs(header, now)).toBe(expected))

  test.each([undefined, null, '', 'soon'])('%s gives no wait', (header) =>
    expect(retryAfterMs(header, now)).toBeUndefined(),
  )
})

describe('a captured response', () => {
  test('is returned unchanged, each to its own concurrent call', async () => {
    await using server = await startLoopback((request, response) => {
      setTimeout(() => sendJson(response, 200, `{"path": "${request.path}" }`), request.path === '/slow' ? 50 : 0)
    })
    const capture = capturingFetch(pspFetch)
    const get = (path: string) => capture.record(() => capture.fetch(`${server.url}${path}`))
    const [slow, quick] = await Promise.all([get('/slow'), get('/quick')])
    const rest = { status: 200, fingerprint: null, unchanged: false }
    expect(slow.exchange).toEqual({ ...rest, text: '{"path": "/slow" }' })
    expect(quick.exchange).toEqual({ ...rest, text: '{"path": "/quick" }' })
    expect(quick.value).toMatchObject({ status: 200, text: '{"path": "/quick" }' })
    expect(quick.value.headers.get('request-id')).toBe('req_loopback')
  })

  test('of a page has a fingerprint; the SDK gets an empty page, and an unchanged page has no text', async () => {
    await using server = await startLoopback((_, response) => sendJson(response, 200, '{"data": [1] }'))
    const capture = capturingFetch(pspFetch)
    const read = (fingerprint: Buffer | undefined) =>
      capture.record(async () => JSON.parse((await capture.fetch(server.url)).text), {
        page: { fingerprint, empty: '{"data":[]}' },
      })
    const first = await read(undefined)
    expect(first).toMatchObject({ value: { data: [] }, exchange: { text: '{"data": [1] }', unchanged: false } })
    const { fingerprint } = first.exchange
    expect(fingerprint).toEqual(createHash('sha256').update('{"data": [1] }').digest())
    const again = await read(fingerprint ?? undefined)
    expect(again).toMatchObject({ value: { data: [] }, exchange: { text: '', unchanged: true } })
    expect((await read(Buffer.alloc(32))).exchange).toEqual(first.exchange)
  })

  test('leaks nothing in the process, in which every poll creates a client', async () => {
    const call = () => capturingFetch(pspFetch).record(() => Promise.resolve())
    // Node adds a symbol to each asynchronous resource for each AsyncLocalStorage that ever ran.
    const countSymbols = async () => {
      await Promise.resolve()
      return Object.getOwnPropertySymbols(executionAsyncResource()).length
    }
    await call()
    const before = await countSymbols()
    for (let times = 20; times > 0; times--) await call()
    expect(await countSymbols()).toBe(before)
  })

  test('a redirect is not followed, so that no key leaks', async () => {
    await using inside = await startLoopback((_, response) => sendJson(response, 200, {}))
    await using server = await startLoopback((_, response) => sendJson(response, 302, {}, { location: inside.url }))
    const capture = capturingFetch(pspFetch)
    const { exchange } = await capture.record(() => capture.fetch(server.url, { headers: { authorization: 'x' } }))
    expect(exchange.status).toBe(302)
    expect(inside.seen).toEqual([])
  })

  test('a body above the size limit is refused while it is read', async () => {
    await using server = await startLoopback((_, response) => sendJson(response, 200, `{"a":"${'x'.repeat(5000)}"}`))
    const capture = capturingFetch(pspFetch, 1000)
    await expect(capture.fetch(server.url)).rejects.toThrow('larger')
  })

  test('a body that is no object never reaches an SDK', async () => {
    await using server = await startLoopback((_, response) => sendJson(response, 200, '"a string"'))
    const capture = capturingFetch(pspFetch)
    const { value, exchange } = await capture.record(() => capture.fetch(server.url))
    expect(exchange.text).toBe('"a string"')
    expect(value.text).toBe('')
  })
})
