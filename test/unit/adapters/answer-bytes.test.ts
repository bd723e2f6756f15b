import { get } from 'node:http'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { MAX_XML_BYTES, newExchange, sdkTransport } from '../../../adapters/braintree/sdk/transport.ts'
import { MAX_BODY_BYTES, MAX_BYTES_AT_ONCE, readBytes } from '../../../adapters/shared/response-bytes.ts'
import { answering, connectTo, refusal, sendXml } from './braintree/connect.ts'

const MEGABYTE = 1024 * 1024
/** The same piece again and again: it costs nothing. */
const PIECE = new Uint8Array(MEGABYTE)

/** An answer of which `megabytes` have come and the rest comes when it may. */
function coming(megabytes: number) {
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

describe('the bytes of an answer', () => {
  test('are read up to the bound, and not a byte further', async () => {
    const source = new Array(MAX_BODY_BYTES / MEGABYTE).fill(PIECE)
    expect((await readBytes(source)).length).toBe(MAX_BODY_BYTES)
    await expect(readBytes([...source, new Uint8Array(1)])).rejects.toMatchObject({ code: 'ANSWER_TOO_LARGE' })
  })

  test('of all answers together have a bound, too, which small ones don’t feel; it is given back', async () => {
    const most = MAX_BYTES_AT_ONCE / MAX_BODY_BYTES
    const large = Array.from({ length: most }, () => coming(MAX_BODY_BYTES / MEGABYTE))
    const reading = large.map(({ chunks }) => readBytes(chunks))
    await Promise.all(large.map(({ arrived }) => arrived))
    await expect(readBytes(new Array(9).fill(PIECE))).rejects.toMatchObject({ code: 'ANSWER_TOO_LARGE' })
    expect((await readBytes([PIECE])).length).toBe(MEGABYTE)
    for (const { finish } of large) finish()
    await Promise.all(reading)
    expect((await readBytes(new Array(9).fill(PIECE))).length).toBe(9 * MEGABYTE)
  })

  test('are given back also when the connection breaks', async () => {
    for (let round = 0; round < 9; round++) {
      const broken = (function* () {
        for (let sent = 0; sent < 20; sent++) yield PIECE
        throw new Error('reset')
      })()
      await expect(readBytes(broken)).rejects.toThrow('reset')
    }
  })
})

describe('XML, which Braintree’s SDK reads a character at a time', () => {
  const DISPUTE = '<dispute><id>d1</id><status>open</status></dispute>'

  test.each([
    ['space around it', `\n ${DISPUTE}${' '.repeat(1_000_000)}`, DISPUTE],
    ['space alone, of which one character says that there was some', ' \n '.repeat(1_000), ' '],
    ['nothing', '', ''],
  ])('%s does not reach the SDK: it costs an object per character', async (_, sent, expected) => {
    const answer = () => Promise.resolve(new Response(sent, { headers: { 'content-type': 'application/xml' } }))
    const agent = sdkTransport(answer, 'http://127.0.0.1:9', newExchange())
    const received = await new Promise<string>((resolve, reject) => {
      get({ agent, path: '/' }, (response) => text(response).then(resolve, reject)).on('error', reject)
    })
    expect(received.trim()).toBe(expected.trim())
    expect(received.length).toBe(expected.length)
  })

  test('more than any page has is refused before the SDK sees it', async () => {
    await using server = await answering((_, response) => sendXml(response, 200, 'x'.repeat(MAX_XML_BYTES + 1)))
    const { kind, message } = await refusal(connectTo(server.url).fetchDispute('d1'))
    expect([kind, message]).toEqual([
      'unavailable',
      expect.stringMatching(/sent more than any of its answers may hold/),
    ])
  })
})
