import { createCipheriv, randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { readApiConfig } from '../../../api/config.ts'
import { readCliConfig } from '../../../cli/config.ts'
import { readLocalConfig } from '../../../local/config.ts'
import { readWorkerConfig } from '../../../workflows/worker/config.ts'

const folder = mkdtempSync(join(tmpdir(), 'recoup-keys-'))
afterAll(() => rmSync(folder, { recursive: true }))

const key = randomBytes(32)
const ring = `k9:${key.toString('base64')}`
const file = join(folder, 'keys')
writeFileSync(file, `${ring}\n`)

/** The key ring, wrapped by a key that never leaves the KMS. The command unwraps it. */
const wrapping = randomBytes(32)
const [iv, wrapped] = [randomBytes(16), join(folder, 'keys.wrapped')]
const cipher = createCipheriv('aes-256-cbc', wrapping, iv)
writeFileSync(wrapped, Buffer.concat([cipher.update(ring), cipher.final()]))
const unwrapScript = `const { createDecipheriv: open } = require("crypto"), hex = (text) => Buffer.from(text, "hex");
  const kms = open("aes-256-cbc", hex("${wrapping.toString('hex')}"), hex("${iv.toString('hex')}"));
  process.stdout.write(Buffer.concat([kms.update(require("fs").readFileSync("${wrapped}")), kms.final()]))`
const unwrap = `"${process.execPath}" -e '${unwrapScript}'`
const printsTooMuch = `"${process.execPath}" -e 'process.stdout.write("x".repeat(200000))'`

const base = { DATABASE_URL: 'postgres://h/d' }
const READERS = {
  api: (env: Record<string, string>) => readApiConfig({ ...base, ...env }).ring.keys.get('k9'),
  worker: (env: Record<string, string>) => readWorkerConfig({ ...base, ...env }).ring.keys.get('k9'),
  'command line': (env: Record<string, string>) =>
    readCliConfig({ ...base, ...env })
      .ring()
      .keys.get('k9'),
  'npm start': (env: Record<string, string>) =>
    Buffer.from(readLocalConfig(env).RECOUP_ENCRYPTION_KEYS?.split(':')[1] ?? '', 'base64'),
}

describe.each(Object.entries(READERS))('the key ring of %s', (name, read) => {
  test.each([
    ['the environment', { RECOUP_ENCRYPTION_KEYS: ring }],
    ['a file', { RECOUP_ENCRYPTION_KEYS_FILE: file }],
    ['a command that unwraps it', { RECOUP_ENCRYPTION_KEYS_COMMAND: unwrap }],
  ])('comes from %s', (_, env) => {
    expect(read(env as Record<string, string>)).toEqual(key)
  })

  test('is read by running the command once', () => {
    const runs = join(folder, `runs of ${name}`)
    expect(read({ RECOUP_ENCRYPTION_KEYS_COMMAND: `echo run >> '${runs}'; ${unwrap}` })).toEqual(key)
    expect(readFileSync(runs, 'utf8')).toBe('run\n')
  })

  test.each([
    [
      'two sources',
      { RECOUP_ENCRYPTION_KEYS: ring, RECOUP_ENCRYPTION_KEYS_FILE: file },
      /_KEYS and RECOUP_ENCRYPTION_KEYS_FILE are set/,
    ],
    [
      'a missing file',
      { RECOUP_ENCRYPTION_KEYS_FILE: join(folder, 'none') },
      /_FILE: the file can not be read \(ENOENT\)/,
    ],
    [
      'a command that fails',
      { RECOUP_ENCRYPTION_KEYS_COMMAND: `echo ${ring}; exit 7` },
      /_COMMAND: ended with exit code 7/,
    ],
    ['a command that prints nothing', { RECOUP_ENCRYPTION_KEYS_COMMAND: 'true' }, /_COMMAND: printed nothing/],
    [
      'a command that prints too much',
      { RECOUP_ENCRYPTION_KEYS_COMMAND: printsTooMuch },
      /_COMMAND: failed with ENOBUFS/,
    ],
  ])('is refused: %s; the error does not contain the key', (_, env, sentence) => {
    const message = (() => {
      try {
        return String(read(env as Record<string, string>))
      } catch (error) {
        return (error as Error).message
      }
    })()
    expect(message).toMatch(sentence)
    expect(message).not.toContain(key.toString('base64'))
  })
})
