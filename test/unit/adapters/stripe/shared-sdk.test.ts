import { expect, onTestFinished, test } from 'vitest'
import { type PspFetch, pspFetch } from '../../../../adapters/shared/psp-fetch.ts'
import { sdkFor } from '../../../../adapters/stripe/sdk.ts'
import { connectStripe, sampleDispute, sendJson, startLoopback } from '../loopback.ts'

test('credentials that share the SDK send their own keys, at the same time and by their own fetch', async () => {
  await using server = await startLoopback((_, response) => sendJson(response, 200, sampleDispute()))
  const sent: string[] = []
  const fetchOf =
    (name: string): PspFetch =>
    (input, init) => {
      sent.push(name)
      return pspFetch(input, init)
    }
  const names = ['one', 'two', 'three']
  const adapters = names.map((name) =>
    connectStripe(server.url, { secret: { apiKey: `sk_test_${name}` }, fetch: fetchOf(name) }),
  )
  await Promise.all([...adapters, ...adapters].map((adapter) => adapter.fetchDispute('dp_sample1')))
  const keys = server.seen.map(({ headers }) => headers.authorization)
  expect(keys.sort()).toEqual([...names, ...names].map((name) => `Bearer sk_test_${name}`).sort())
  expect(sent.sort()).toEqual([...names, ...names].sort())
})

test('a request outside of a call has no key, and is not sent', async () => {
  await using server = await startLoopback((_, response) => sendJson(response, 200, sampleDispute()))
  const { sdk } = sdkFor(server.url)
  await expect(sdk.disputes.retrieve('dp_sample1', {})).rejects.toThrow()
  expect(server.seen).toEqual([])
})

test('no call formats a stack, and later errors have theirs', async () => {
  const frames: number[] = []
  const { prepareStackTrace } = Error
  onTestFinished(() => void Object.assign(Error, { prepareStackTrace }))
  Error.prepareStackTrace = (error, calls) => {
    frames.push(calls.length)
    return String(error)
  }
  const answering: PspFetch = async () => {
    void new Error('during the request').stack
    return Response.json(sampleDispute())
  }
  await connectStripe('http://127.0.0.1:9', { fetch: answering }).fetchDispute('dp_sample1')
  const [atCall, later] = frames
  expect(atCall).toBe(0)
  expect(later).toBeGreaterThan(0)
})
