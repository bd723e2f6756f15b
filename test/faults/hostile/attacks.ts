import { randomUUID } from 'node:crypto'
import { samplePdf } from '../../harness/sample-files.ts'
import { multipart } from '../../interface/multipart.ts'
import { type Against, crowd, repeat } from './attacker-sockets.ts'

/** 950 KB of different keys. */
const KEYS = `{${Array.from({ length: 80_000 }, (_, n) => `"k${n}":1`).join(',')}}`
const json = { 'content-type': 'application/json' }
/** A well-formed but invalid signature. */
const SIGNED = { ...json, 'stripe-signature': `t=1,v1=${'0'.repeat(64)}` }

export interface Attack {
  title: string
  /** Runs until the process ends. */
  run(against: Against): void
}

/** Attacks from one address, next to honest tenants. Attackers with a token are another tenant. */
export const ATTACKS = {
  slow_headers: {
    title: '300 sockets that send a byte of a header a second',
    run: (against) => crowd(against, 300, { head: 'GET /v1/chargebacks HTTP/1.1\r\nHost: x\r\nA: ', drip: 'x' }),
  },
  slow_bodies: {
    title: '300 sockets that send ten bytes of a body a second, half of them as a tenant',
    run(against) {
      const rest = 'Host: x\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n'
      const tenant = `POST /v1/transactions HTTP/1.1\r\nAuthorization: Bearer ${against.token}\r\n${rest}\r\n{`
      const stranger = `POST /v1/notifications/${against.integrationId} HTTP/1.1\r\nStripe-Signature: ${SIGNED['stripe-signature']}\r\n${rest}\r\n{`
      crowd(against, 150, { head: tenant, drip: '          ' })
      crowd(against, 150, { head: stranger, drip: '          ' })
    },
  },
  slow_readers: {
    title: '200 sockets that request the largest response repeatedly and read none',
    run: (against) =>
      crowd(against, 200, { head: 'GET /v1/openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(20), reads: false }),
  },
  sockets: {
    title: '800 sockets that post megabytes to the notification addresses of integrations that don’t exist',
    run(against) {
      const head = () =>
        `POST /v1/notifications/${randomUUID()} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n${'x'.repeat(900_000)}`
      crowd(against, 800, { head })
    },
  },
  unsigned_notifications: {
    title: '64 clients that post notifications without a signature as fast as they get responses',
    run: (against) =>
      repeat(against, 64, () => ['POST', `/v1/notifications/${against.integrationId}`, json, '{"id":"evt_1"}']),
  },
  forged_notifications: {
    title: '64 clients that post notifications of 100 KB with a forged signature, to existing and unknown addresses',
    run(against) {
      const body = `{"id":"${'x'.repeat(100_000)}"}`
      const id = (n: number) => (n % 2 ? against.integrationId : randomUUID())
      repeat(against, 64, (n) => ['POST', `/v1/notifications/${id(n)}`, SIGNED, body])
    },
  },
  wrong_tokens: {
    title: '64 clients that try tokens as fast as they get responses',
    run: (against) =>
      repeat(against, 64, (n) => ['GET', '/v1/chargebacks', { authorization: `Bearer ${forged(against.token, n)}` }]),
  },
  huge_key_counts: {
    title: '8 clients of a tenant that post 950 KB of unknown keys as fast as they get responses',
    run: (against) => repeat(against, 8, () => ['POST', '/v1/transactions', { ...json, ...bearer(against) }, KEYS]),
  },
  uploads: {
    title: '16 clients of a tenant that upload files as fast as they get responses',
    run(against) {
      const file = { name: 'file', filename: 'a.pdf', content: samplePdf({ content: 'x'.repeat(200_000) }) }
      const { type, body } = multipart([file, { name: 'purpose', content: 'evidence_file' }])
      const headers = { 'content-type': type, ...bearer(against) }
      repeat(against, 16, () => ['POST', '/v1/files', headers, Buffer.from(body)])
    },
  },
} as const satisfies Record<string, Attack>
export type AttackName = keyof typeof ATTACKS

const bearer = ({ token }: Against) => ({ authorization: `Bearer ${token}` })

/** A different signature each time. */
const forged = (token: string, n: number) => `${token.slice(0, -12)}${String(n).padStart(12, 'A')}`
