import { isIP } from 'node:net'
import { createTransport } from 'nodemailer'

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
/** One address, and no list of them, for which the library would take a text with commas. */
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

/** Hands one mail in. @throws MailRefused */
export async function sendMail(server: SmtpServer, mail: Mail): Promise<void> {
  for (const address of [mail.from, mail.to])
    if (!ADDRESS.test(address)) throw new MailRefused('an address has a form that is not supported')
  const { host, port, isSecure, startsTls, login, ca } = server
  const transport = createTransport({
    ...{ host, port, secure: isSecure, requireTLS: startsTls, ignoreTLS: !isSecure && !startsTls, name: 'recoup' },
    tls: { minVersion: 'TLSv1.2', ...(isIP(host) === 0 && { servername: host }), ...(ca && { ca }) },
    ...(login && { auth: { user: login.user, pass: login.password } }),
    ...{ connectionTimeout: TIME_LIMIT_MS, greetingTimeout: TIME_LIMIT_MS, socketTimeout: TIME_LIMIT_MS },
    ...{ disableFileAccess: true, disableUrlAccess: true },
  })
  try {
    await transport.sendMail({ ...mail, headers: { 'Auto-Submitted': 'auto-generated' } })
  } catch (error) {
    throw new MailRefused(reasonOf(error))
  } finally {
    transport.close()
  }
}

/** The library's code, such as EAUTH or ETLS, and the server's number. Messages quote addresses and are not used. */
function reasonOf(error: unknown): string {
  const { code, responseCode } = error as { code?: string; responseCode?: number }
  return [code ?? 'error', responseCode && `the server responded with ${responseCode}`].filter(Boolean).join(': ')
}
