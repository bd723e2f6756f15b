import { connect as connectPlainly, isIP, type Socket } from 'node:net'
import { createInterface, type Interface } from 'node:readline'
import { connect as connectSecurely } from 'node:tls'

/** Where mail is handed in, from RECOUP_SMTP_URL. */
export interface SmtpServer {
  host: string
  port: number
  /** TLS from the first byte (smtps). */
  isSecure: boolean
  /** TLS by STARTTLS, without which nothing is sent; everywhere but on loopback. */
  startsTls: boolean
  login: { user: string; password: string } | null
  /** Authorities in addition to those of the machine; for tests. Processes take NODE_EXTRA_CA_CERTS. */
  ca?: string
}

export interface Mail {
  from: string
  to: string
  subject: string
  text: string
}

/** A mail that was not accepted. The message has neither addresses nor the server's words, which may quote them. */
export class MailRefused extends Error {
  override name = 'MailRefused'
}

const TIME_LIMIT_MS = 30_000
const LOOPBACK = ['localhost', '127.0.0.1', '::1']
/** No address with a quoted local part or with letters beyond ASCII, which would need an extension. */
const ADDRESS = /^[\w.!#$%&'*+/=?^`{|}~-]+@[\w.-]+$/

/** @param url `smtp://user:password@host:587` or `smtps://…:465` */
export function smtpServerOf(url: URL): SmtpServer {
  const isSecure = url.protocol === 'smtps:'
  const [user, password] = [decodeURIComponent(url.username), decodeURIComponent(url.password)]
  const host = url.hostname.replace(/^\[|\]$/g, '')
  return {
    host,
    port: Number(url.port) || (isSecure ? 465 : 587),
    isSecure,
    startsTls: !isSecure && !LOOPBACK.includes(host),
    login: user === '' ? null : { user, password },
  }
}

/** Hands one mail in, as RFC 5321 says. @throws MailRefused, or the error of the connection */
export async function sendMail(server: SmtpServer, mail: Mail): Promise<void> {
  for (const address of [mail.from, mail.to])
    if (!ADDRESS.test(address)) throw new MailRefused('an address has a form that is not supported')
  let talk = open(server.isSecure ? secured(server) : connectPlainly(server.port, server.host))
  try {
    await talk.expect(220)
    let offers = await talk.ask('EHLO recoup', 250)
    if (server.startsTls) {
      if (!/^250[ -]STARTTLS$/im.test(offers)) throw new MailRefused('the server does not offer STARTTLS')
      await talk.ask('STARTTLS', 220)
      talk = open(secured(server, talk.detach()))
      offers = await talk.ask('EHLO recoup', 250)
    }
    if (server.login) {
      if (!/^250[ -]AUTH .*\bPLAIN\b/im.test(offers)) throw new MailRefused('the server does not offer AUTH PLAIN')
      const { user, password } = server.login
      await talk.ask(`AUTH PLAIN ${Buffer.from(`\0${user}\0${password}`).toString('base64')}`, 235)
    }
    await talk.ask(`MAIL FROM:<${mail.from}>`, 250)
    await talk.ask(`RCPT TO:<${mail.to}>`, 250)
    await talk.ask('DATA', 354)
    await talk.ask(`${textOf(mail)}\r\n.`, 250)
    await talk.ask('QUIT', 221).catch(() => undefined)
  } finally {
    talk.end()
  }
}

const secured = ({ host, port, ca }: SmtpServer, socket?: Socket) =>
  connectSecurely({
    ...{ host, port, minVersion: 'TLSv1.2', rejectUnauthorized: true },
    ...(isIP(host) === 0 && { servername: host }),
    ...(ca && { ca }),
    ...(socket && { socket }),
  })

/** In Base64, so that no line begins with a full stop or is too long. */
function textOf({ from, to, subject, text }: Mail): string {
  const lines =
    Buffer.from(text)
      .toString('base64')
      .match(/.{1,76}/g) ?? []
  return [
    ...[`From: <${from}>`, `To: <${to}>`, `Subject: ${subject.replaceAll(/[^\x20-\x7e]/g, '')}`],
    ...[
      `Date: ${new Date().toUTCString().replace('GMT', '+0000')}`,
      'MIME-Version: 1.0',
      'Auto-Submitted: auto-generated',
    ],
    ...['Content-Type: text/plain; charset=utf-8', 'Content-Transfer-Encoding: base64', '', ...lines],
  ].join('\r\n')
}

interface Talk {
  /** @returns the lines of the response @throws MailRefused when its code is another one */
  expect(code: number): Promise<string>
  ask(command: string, code: number): Promise<string>
  /** The socket, for TLS on top of it. */
  detach(): Socket
  end(): void
}

/** Errors of the connection and its time limit end what waits. */
function open(socket: Socket): Talk {
  const lines = createInterface({ input: socket })
  const responses = responsesOf(lines)
  const failed = new Promise<never>((_, reject) => {
    socket.once('error', reject)
    socket.setTimeout(TIME_LIMIT_MS, () => socket.destroy(new MailRefused('the server did not respond in time')))
  })
  failed.catch(() => undefined)
  const expect = async (code: number) => {
    const { value, done } = await Promise.race([responses.next(), failed])
    if (done) throw new MailRefused('the server closed the connection')
    if (!value.startsWith(String(code)))
      throw new MailRefused(`the server responded with ${value.slice(0, 3)}, not ${code}`)
    return value
  }
  return {
    expect,
    ask(command, code) {
      socket.write(`${command}\r\n`)
      return expect(code)
    },
    detach() {
      lines.close()
      socket.removeAllListeners('timeout')
      return socket
    },
    end: () => void socket.destroy(),
  }
}

/** Responses of one or several lines. */
async function* responsesOf(lines: Interface): AsyncGenerator<string, undefined> {
  let response: string[] = []
  for await (const line of lines) {
    response.push(line)
    if (/^\d{3}-/.test(line)) continue
    yield response.join('\n')
    response = []
  }
  return undefined
}
