import { readFileSync } from 'node:fs'
import http from 'node:http'
import https from 'node:https'
import { type AddressInfo, connect, type Server } from 'node:net'
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest'
import { addressBlocks } from '../../../process/address-blocks.ts'
import { createPoster } from '../../../webhooks/post.ts'
import { makeCertificates } from '../../faults/net/certificates.ts'

const HERE = '127.0.0.1'
const LOOPBACK = addressBlocks(['127.0.0.0/8'])
const certificates = await makeCertificates()
if (!certificates) console.warn('SKIPPED: certificates of receivers are not checked, there is no openssl')

const servers: Server[] = []
async function listening(server: Server): Promise<number> {
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, HERE, resolve))
  return (server.address() as AddressInfo).port
}
afterEach(() => {
  for (const server of servers.splice(0)) {
    if ('closeAllConnections' in server) (server as unknown as http.Server).closeAllConnections()
    server.close()
  }
})
afterAll(() => certificates?.[Symbol.asyncDispose]())

async function posted(url: string, more: Partial<Parameters<typeof createPoster>[0]> = {}) {
  using poster = createPoster({ allowed: LOOPBACK, proxy: null, timeoutMs: 1_500, ...more })
  return await poster.post(url, { 'webhook-id': 'evt_1' }, Buffer.from('{}'))
}

describe.skipIf(!certificates)('TLS', () => {
  const cases = ['selfSigned', 'unknownAuthority', 'otherHost', 'expired'] as const
  const serve = (certificate: object) =>
    listening(https.createServer(certificate, (_request, response) => response.end()) as unknown as Server)

  test.each(cases)('a certificate that is %s is refused', async (name) => {
    const port = await serve(certificates?.[name] ?? {})
    const ca = readFileSync(certificates?.authorityFile ?? '', 'utf8')
    expect(await posted(`https://${HERE}:${port}/`, { ca })).toMatchObject({ kind: 'tls' })
  })

  test('no variable turns the check of certificates off', async () => {
    const port = await serve(certificates?.selfSigned ?? {})
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
    expect(await posted(`https://${HERE}:${port}/`)).toMatchObject({ kind: 'tls' })
    vi.unstubAllEnvs()
  })

  test('the right certificate is accepted, directly and through a proxy that gets the login', async () => {
    const port = await serve(certificates?.right ?? {})
    const ca = readFileSync(certificates?.authorityFile ?? '', 'utf8')
    expect(await posted(`https://${HERE}:${port}/`, { ca })).toEqual({ status: 200 })
    const tunnels: unknown[] = []
    const proxyServer = http.createServer().on('connect', (request, socket) => {
      tunnels.push([request.url, request.headers['proxy-authorization']])
      const upstream = connect(port, HERE, () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n')
        upstream.pipe(socket)
        socket.pipe(upstream)
      })
      for (const one of [upstream, socket]) one.on('error', () => {})
    })
    const proxy = new URL(`http://me:se%20cret@${HERE}:${await listening(proxyServer as unknown as Server)}`)
    expect(await posted(`https://${HERE}:${port}/`, { ca, proxy })).toEqual({ status: 200 })
    expect(tunnels).toEqual([[`${HERE}:${port}`, `Basic ${Buffer.from('me:se cret').toString('base64')}`]])
  })
})

test('a proxy that refuses the tunnel', async () => {
  const server = http.createServer().on('connect', (_request, socket) => socket.end('HTTP/1.1 403 Forbidden\r\n\r\n'))
  const proxy = new URL(`http://${HERE}:${await listening(server as unknown as Server)}`)
  expect(await posted('https://receiver.example/', { proxy })).toMatchObject({ kind: 'connect' })
})
