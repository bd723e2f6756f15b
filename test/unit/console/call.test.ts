import { afterEach, expect, test, vi } from 'vitest'
import { call } from '../../../console/api/call.ts'
import { changeConnection, connection } from '../../../console/api/connection.ts'
import { failureOf, sentenceOf } from '../../../console/api/failure.ts'

afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

/** The connection and the failure after one answer. */
async function after(response: Response, method: 'read' | 'act' = 'read') {
  vi.stubGlobal('fetch', async () => response)
  changeConnection({ away: false, answeredAt: null })
  const sent = method === 'read' ? call('readMe') : call('pollIntegration', { params: { id: 'x' } })
  const failure = await sent.then(
    () => null,
    (error) => error,
  )
  const { away, answeredAt } = connection()
  return { status: failure?.status ?? null, code: failure?.code ?? null, away, isNew: answeredAt !== null }
}
const json = (status: number, code: string) => Response.json({ code, message: 'A sentence.' }, { status })
const page = (status: number) => new Response('<html>Bad Gateway</html>', { status })

test.each([502, 503, 504])('a page of a proxy with status %i is no answer', async (status) => {
  const none = { status: 0, code: 'no_answer', away: true, isNew: false }
  expect(await after(page(status))).toEqual(none)
  expect(await after(page(status), 'act')).toEqual(none)
})

test('an error of the API is an answer, but what is shown is not new', async () => {
  expect(await after(json(500, 'internal_error'))).toEqual({
    ...{ status: 500, code: 'internal_error' },
    away: false,
    isNew: false,
  })
  expect(await after(json(429, 'rate_limit_exceeded'))).toMatchObject({ status: 429, away: false, isNew: false })
  expect(await after(json(404, 'chargeback_not_found'))).toMatchObject({ status: 404, away: false, isNew: true })
  expect(await after(json(503, 'service_unavailable'))).toMatchObject({ status: 503, away: true })
  expect(await after(json(503, 'service_unavailable'), 'act')).toMatchObject({ status: 503, away: false })
})

test.each([
  [500, { code: 'internal_error', errorId: '6f1c' }, 'A sentence. (error id 6f1c)'],
  [500, { code: 'internal_error' }, 'A sentence.'],
  // A refusal says itself what to do.
  [400, { code: 'not_open', errorId: '6f1c' }, 'A sentence.'],
])('a failed act with status %i, %j: %s', async (status, error, words) => {
  expect(sentenceOf(await failureOf(Response.json({ message: 'A sentence.', ...error }, { status })))).toBe(words)
})

test('a body that breaks off, or is no JSON, may have been done', async () => {
  const broken = new ReadableStream({ pull: (controller) => controller.error(new TypeError('terminated')) })
  expect(await after(new Response(broken))).toMatchObject({ status: 0, code: 'no_answer' })
  expect(await after(page(200))).toMatchObject({ status: 0, code: 'no_answer' })
  expect(await after(Response.json({ data: [] }))).toMatchObject({ status: null, away: false, isNew: true })
})

test('a service that says nothing for 35 s has not answered; one that waits for events for 25 s has', async () => {
  vi.useFakeTimers()
  vi.stubGlobal(
    'fetch',
    (_: string, { signal }: { signal: AbortSignal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  )
  changeConnection({ away: false })
  const sent = call('pollIntegration', { params: { id: 'x' } }).catch((error) => error)
  await vi.advanceTimersByTimeAsync(26_000)
  expect(connection().away).toBe(false)
  await vi.advanceTimersByTimeAsync(10_000)
  expect(await sent).toMatchObject({ status: 0, code: 'no_answer' })
  expect(connection().away).toBe(true)
})

test('what a person does in another tab counts here, too', async () => {
  const other = new BroadcastChannel('recoup-used')
  const later = Date.now() + 60_000
  other.postMessage(later)
  await expect.poll(() => connection().usedAt).toBe(later)
  other.close()
})
