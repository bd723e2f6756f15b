import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export interface Certificate {
  key: string
  cert: string
}

/** Valid and invalid certificates of one server on 127.0.0.1, made anew each time, so that no key is stored. */
export interface Certificates extends AsyncDisposable {
  /** The authority that signed all except `selfSigned` and `unknownAuthority`. */
  authorityFile: string
  right: Certificate
  selfSigned: Certificate
  unknownAuthority: Certificate
  otherHost: Certificate
  expired: Certificate
}

const HERE = 'IP:127.0.0.1'
const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']

/** @returns null if there is no openssl */
export async function makeCertificates(): Promise<Certificates | null> {
  const known = await run('openssl', ['version']).catch(() => null)
  if (!known) return null
  const folder = await mkdtemp(join(tmpdir(), 'recoup-certificates-'))
  const openssl = (...args: string[]) => run('openssl', args, { cwd: folder })

  /** Makes a self-signed certificate: an authority, or a server. */
  async function selfSign(name: string, ...more: string[]): Promise<Certificate> {
    await openssl(
      'req',
      '-x509',
      ...KEY,
      '-keyout',
      `${name}.key`,
      '-out',
      `${name}.pem`,
      '-subj',
      `/CN=${name}`,
      ...more,
    )
    return read(name)
  }
  async function sign(name: string, authority: string, days: number, host: string): Promise<Certificate> {
    await openssl('req', ...KEY, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${name}`)
    await writeFile(join(folder, `${name}.ext`), `subjectAltName=${host}`)
    const signer = ['-CA', `${authority}.pem`, '-CAkey', `${authority}.key`, '-CAcreateserial']
    const files = ['-in', `${name}.csr`, '-out', `${name}.pem`, '-extfile', `${name}.ext`]
    await openssl('x509', '-req', ...signer, ...files, '-days', String(days))
    return read(name)
  }
  const text = (file: string) => readFile(join(folder, file), 'utf8')
  const read = async (name: string) => ({ key: await text(`${name}.key`), cert: await text(`${name}.pem`) })

  await selfSign('authority')
  await selfSign('stranger')
  return {
    authorityFile: join(folder, 'authority.pem'),
    right: await sign('right', 'authority', 2, HERE),
    selfSigned: await selfSign('self-signed', '-addext', `subjectAltName=${HERE}`),
    unknownAuthority: await sign('unknown', 'stranger', 2, HERE),
    otherHost: await sign('other', 'authority', 2, 'DNS:psp.example.com'),
    expired: await sign('expired', 'authority', -1, HERE),
    async [Symbol.asyncDispose]() {
      await rm(folder, { recursive: true, force: true })
    },
  }
}
