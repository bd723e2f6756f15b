import { get } from 'node:http'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { MAX_XML_BYTES, newExchange, sdkTransport } from '../../../adapters/braintree/sdk/transport.ts'
import { MAX_BODY_BYTES, MAX_BYTES_AT_ONCE, readBytes } from '../../../adapters/shared/response-bytes.ts'
import { connectTo, refusal, sendXml, startServer } from './braintree/connect.ts'

const MEGABYTE = 1024 * 1024
/** The same piece for every megabyte, which saves memory. */
const PIECE = new Uint8Array(MEGABYTE)

/** A response of which `megabytes` arrive at once and the end arrives after `finish()`. */
function pausedAfter(megabytes: number) {
  let finish = () => {}
  let arrive = () => {}
  const finished = new Promise<void>((resolve) => {
    finish = resolve
  })
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve
  })
  async function* chunks() {
    for (let sent = 0; sent < megabytes; sent++) yield PIECE
    arrive()
    await finished
  }
  return { chunks: chunks(), arrived, finish: () => finish() }
}

describe('the bytes of a response', () => {
  test('are read up to the limit, and not a byte further', async () => {
    const source = new Array(MAX_BODY_BYTES / MEGABYTE).fill(PIECE)
    expect((await readBytes(source)).length).toBe(MAX_BODY_BYTES)
    await expect(readBytes([...source, new Uint8Array(1)])).rejects.toMatchObject({ code: 'ANSWER_TOO_LARGE' })
  })

  test('of all responses together have a limit, which exempts small responses and is released afterwards', async () => {
    const most = MAX_BYTES_AT_ONCE / MAX_BODY_BYTES
    const large = Array.from({ length: most }, () => pausedAfter(MAX_BODY_BYTES / MEGABYTE))
    const reading = large.map(({ chunks }) => readBytes(chunks))
    await Promise.all(large.map(({ arrived }) => arrived))
    await expect(readBytes(new Array(9).fill(PIECE))).rejects.toMatchObject({ code: 'ANSWER_TOO_LARGE' })
    expect((await readBytes([PIECE])).length).toBe(MEGABYTE)
    for (const { finish } of large) finish()
    await Promise.all(reading)
    expect((await readBytes(new Array(9).fill(PIECE))).length).toBe(9 * MEGABYTE)
  })

  test('are released also if the connection breaks', async () => {
    for (let round = 0; round < 9; round++) {
      const broken = (function* () {
        for (let sent = 0; sent < 20; sent++) yield PIECE
        throw new Error('reset')
      })()
      await expect(readBytes(broken)).rejects.toThrow('reset')
    }
  })
})

describe('XML, which Braintree’s SDK reads one character at a time', () => {
  const DISPUTE = '<dispute><id>d1</id><status>open</status></dispute>'

  test.each([
    ['space around a document', `\n ${DISPUTE}${' '.repeat(1_000_000)}`, DISPUTE],
    ['space alone, except one character,', ' \n '.repeat(1_000), ' '],
    ['an empty body', '', ''],
  ])('%s does not reach the SDK, which would create an object per character', async (_, sent, expected) => {
    const respond = () => Promise.resolve(new Response(sent, { headers: { 'content-type': 'application/xml' } }))
    const agent = sdkTransport(respond, 'http://127.0.0.1:9', newExchange())
    const received = await new Promise<string>((resolve, reject) => {
      get({ agent, path: '/' }, (response) => text(response).then(resolve, reject)).on('error', reject)
    })
    expect(received.trim()).toBe(expected.trim())
    expect(received.length).toBe(expected.length)
  })

  test('XML over the size limit is refused before the SDK sees it', async () => {
    await using server = await startServer((_, response) => sendXml(response, 200, 'x'.repeat(MAX_XML_BYTES + 1)))
    const { kind, message } = await refusal(connectTo(server.url).fetchDispute('d1'))
    expect([kind, message]).toEqual([
      'unavailable',
      expect.stringMatching(/sent more than any of its answers may hold/),
    ])
  })
})
