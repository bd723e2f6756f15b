import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { connectLazily, type TemporalSecurity } from '../../../workflows/starters/temporal.ts'
import { readWorkerConfig } from '../../../workflows/worker/config.ts'

const securityOf = (env: Record<string, string>) =>
  readWorkerConfig({
    ...{ DATABASE_URL: 'postgres://h/d', RECOUP_ENCRYPTION_KEYS: `k:${Buffer.alloc(32, 7).toString('base64')}` },
    ...env,
  }).temporalSecurity

/** First byte that a server receives from a client. */
async function firstByte(security: TemporalSecurity): Promise<number> {
  const server = createServer()
  const received = new Promise<number>((resolve) => {
    server.on('connection', (socket) => {
      socket.on('error', () => {})
      socket.once('data', (data) => {
        resolve(data[0] as number)
        socket.destroy()
      })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  const { connection } = connectLazily(`127.0.0.1:${port}`, 'default', security)
  connection.ensureConnected().catch(() => {})
  try {
    return await received
  } finally {
    await connection.close()
    server.close()
  }
}

const HANDSHAKE = 0x16

test.each([
  ['unencrypted by default', {}, false],
  ['encrypted if TEMPORAL_TLS is set', { TEMPORAL_TLS: 'true' }, true],
  ['always encrypted with an API key', { TEMPORAL_API_KEY: 'a-key', TEMPORAL_TLS: 'false' }, true],
])('the connection to Temporal is %s', async (_, env, encrypted) => {
  const security = securityOf(env as Record<string, string>)
  expect(security.tls).toBe(encrypted)
  expect((await firstByte(security)) === HANDSHAKE).toBe(encrypted)
})
