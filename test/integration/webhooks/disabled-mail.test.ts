import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { TLSSocket } from 'node:tls'
import { afterAll, afterEach, expect, test } from 'vitest'
import { leaseEndpoint } from '../../../db/webhooks/leases.ts'
import { mailDisabled } from '../../../webhooks/mail/disabled-mail.ts'
import { type SmtpServer, sendMail, smtpServerOf } from '../../../webhooks/mail/smtp.ts'
import { type Certificate, makeCertificates } from '../../faults/net/certificates.ts'
import { answer, receive } from './receivers.ts'
import { openWebhooks } from './webhook-stage.ts'

interface Options {
  /** Responses in place of the usual ones, by the command's first word. */
  responses?: Record<string, string>
  /** Speaks TLS after STARTTLS, which it offers then. */
  tls?: Certificate
}

const servers: AsyncDisposable[] = []
afterEach(async () => {
  for (const one of servers.splice(0)) await one[Symbol.asyncDispose]()
})

/** A mail server that speaks as RFC 5321 says. @returns what it was told, whether within TLS */
async function mailServer({ responses = {}, tls }: Options = {}) {
  const said: string[] = []
  const secured: string[] = []
  const sockets = new Set<Socket>()
  const speak = (socket: Socket, isSecure: boolean) => {
    let isData = false
    socket.on('error', () => {})
    const lines = createInterface({ input: socket })
    lines.on('line', (line) => {
      said.push(line)
      if (isSecure) secured.push(line)
      if (isData && line !== '.') return
      const [word = ''] = line.split(' ')
      const usual: Record<string, string> = {
        EHLO: `250-mail.test\r\n${tls && !isSecure ? '250-STARTTLS\r\n' : ''}250 AUTH LOGIN PLAIN`,
        ...(tls && { STARTTLS: '220 Go' }),
        ...{ AUTH: '235 Ok', MAIL: '250 Ok', RCPT: '250 Ok', DATA: '354 Go on', QUIT: '221 Bye' },
        '.': '250 Queued',
      }
      isData = word === 'DATA'
      socket.write(`${responses[word] ?? usual[word] ?? '500 What?'}\r\n`)
      if (word === 'STARTTLS' && tls) {
        lines.close()
        speak(new TLSSocket(socket, { isServer: true, ...tls }), true)
      }
    })
  }
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.write(`${responses.greeting ?? '220 mail.test'}\r\n`)
    speak(socket, false)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  servers.push({
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  })
  const { port } = server.address() as AddressInfo
  return { said, secured, address: smtpServerOf(new URL(`smtp://me:se%20cret@127.0.0.1:${port}`)) }
}

const mail = { from: 'recoup@example.com', to: 'owner@example.com', subject: 'Webhooks', text: 'Überfall\n.' }
const unquoted = (text: string) =>
  Buffer.from(
    text.replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString()
const bodyOf = (said: string[]) => {
  const lines = said.slice(said.indexOf('DATA') + 1, said.indexOf('.'))
  const [head, body] = [
    lines.slice(0, lines.indexOf('')),
    lines.slice(lines.indexOf('') + 1).map((line) => line.replace(/^\./, '')),
  ]
  // As the head says: quoted-printable, or as it is.
  const soft = body.join('\n').replaceAll('=\n', '')
  return { head, text: head.join().includes('quoted-printable') ? unquoted(soft) : soft }
}

test('a mail is handed in with its login, and arrives as it was written', async () => {
  const { said, address } = await mailServer()
  await sendMail(address, mail)
  expect(said).toContain(`AUTH PLAIN ${Buffer.from('\0me\0se cret').toString('base64')}`)
  expect(said).toEqual(expect.arrayContaining(['MAIL FROM:<recoup@example.com>', 'RCPT TO:<owner@example.com>']))
  const { head, text } = bodyOf(said)
  expect(head).toEqual(
    expect.arrayContaining(['From: recoup@example.com', 'To: owner@example.com', 'Subject: Webhooks']),
  )
  expect(text).toBe(mail.text)
})

const certificates = await makeCertificates()
if (!certificates) console.warn('SKIPPED: mail is not sent through TLS, there is no openssl')
afterAll(() => certificates?.[Symbol.asyncDispose]())

test.skipIf(!certificates)(
  'to another machine nothing is sent without TLS, or with a certificate of somebody else',
  async () => {
    const plain = await mailServer()
    const elsewhere = (address: SmtpServer): SmtpServer => ({ ...address, startsTls: true })
    await expect(sendMail(elsewhere(plain.address), mail)).rejects.toThrow('ETLS')
    expect(plain.said.join()).not.toMatch(/AUTH|owner/)
    const safe = await mailServer({ tls: certificates?.right as Certificate })
    await expect(sendMail(elsewhere(safe.address), mail)).rejects.toThrow()
    expect(safe.secured).toEqual([])
    await sendMail({ ...elsewhere(safe.address), ca: readFileSync(certificates?.authorityFile ?? '', 'utf8') }, mail)
    expect(smtpServerOf(new URL('smtp://mail.example.com'))).toMatchObject({ startsTls: true, port: 587 })
    expect(safe.secured).toContain('RCPT TO:<owner@example.com>')
  },
)

test.each([
  ['does not know the address', { RCPT: '550 No such user owner@example.com' }, /^EENVELOPE: .* 550$/],
  ['refuses the login', { AUTH: '535 se cret is wrong' }, /^EAUTH: the server responded with 535$/],
  ['is no mail server', { greeting: 'HTTP/1.1 400' }, /^EPROTOCOL/],
])('a server that %s is an error without its words', async (_, responses, message) => {
  const { address } = await mailServer({ responses })
  await expect(sendMail(address, mail)).rejects.toThrow(message)
})

test.each(['owner@example.com>\r\nRCPT TO:<eve@example.com', '"a b"@example.com', 'nobody', ''])(
  'the address %j is refused before anything is sent',
  async (to) => {
    const { address, said } = await mailServer()
    await expect(sendMail(address, { ...mail, to })).rejects.toThrow('a form that is not supported')
    expect(said).toEqual([])
  },
)

test('the contact of a merchant gets a mail with id and host when an endpoint was disabled; no log has the address', async () => {
  await using webhooks = await openWebhooks()
  const { said, address } = await mailServer()
  const { db, ring } = webhooks.stage
  const lines: unknown[] = []
  const log = {
    info: (...line: unknown[]) => void lines.push(line),
    warn: (...line: unknown[]) => void lines.push(line),
  }
  webhooks.onDisabled(mailDisabled({ db, ring, log: log as never, server: address, from: 'recoup@example.com' }))
  await using gone = await receive(answer(410))
  const { id } = await webhooks.create(`${gone.url}/path-secret?key=query-secret`)
  await webhooks.events(2)
  await webhooks.turn()
  expect(said).toContain('RCPT TO:<owner@example.com>')
  const { head, text } = bodyOf(said)
  const { host } = new URL(gone.url)
  expect(head).toContain(`Subject: Webhooks to ${host} have stopped`)
  expect(text).toContain(`the webhook endpoint ${id} at ${host}, because its receiver answered 410 (gone).`)
  expect(text).not.toMatch(/path-secret|query-secret|Olga/)
  expect(lines).toEqual([[{ endpointId: id }, 'mail sent']])

  // A server that is down is logged, and stops no turn.
  await servers.pop()?.[Symbol.asyncDispose]()
  const other = await webhooks.create(gone.url)
  await webhooks.events(1)
  await webhooks.turn()
  expect((await webhooks.read(other.id)).state).toBe('disabled')
  expect(lines.at(-1)).toEqual([{ endpointId: other.id, reason: 'ESOCKET' }, 'mail failed'])
  expect(JSON.stringify(lines)).not.toContain('owner@')
  expect(await leaseEndpoint(db)).toBeNull()
})
