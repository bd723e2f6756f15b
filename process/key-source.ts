import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** Sources of the key ring; exactly one is set. */
export const KEY_SOURCES = {
  text: 'RECOUP_ENCRYPTION_KEYS',
  file: 'RECOUP_ENCRYPTION_KEYS_FILE',
  command: 'RECOUP_ENCRYPTION_KEYS_COMMAND',
} as const

/** Time limit of the command, ms. */
const COMMAND_MS = 30_000
const MAX_BYTES = 64 * 1024

type Environment = Record<string, string | undefined>

/**
 * The environment with the key ring in RECOUP_ENCRYPTION_KEYS, from any source: the text itself, a file, or a command
 * that prints it, such as one that decrypts it with a KMS. Read once, at start; one trailing newline is removed.
 * @throws an Error that says what is wrong, never the value
 */
export function withKeyRing(env: Environment): Environment {
  const given = Object.values(KEY_SOURCES).filter((name) => env[name])
  if (given.length > 1)
    throw new Error(`${given.join(' and ')} are set: the key ring has one source. Unset the others.`)
  const [file, command] = [env[KEY_SOURCES.file], env[KEY_SOURCES.command]]
  const text = file ? readText(file) : command ? outputOf(command) : env[KEY_SOURCES.text]
  return { ...env, [KEY_SOURCES.file]: undefined, [KEY_SOURCES.command]: undefined, [KEY_SOURCES.text]: text }
}

function readText(file: string): string {
  try {
    return unbroken(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new Error(`${KEY_SOURCES.file}: the file can not be read (${(error as { code?: string }).code}).`)
  }
}

/** Runs in a shell. Its standard error is passed on to the operator. */
function outputOf(command: string): string {
  const { status, signal, error, stdout } = spawnSync('/bin/sh', ['-c', command], {
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: COMMAND_MS,
    killSignal: 'SIGKILL',
    maxBuffer: MAX_BYTES,
    encoding: 'utf8',
  })
  const { code } = (error ?? {}) as { code?: string }
  if (code === 'ETIMEDOUT') throw new Error(`${KEY_SOURCES.command}: no end within ${COMMAND_MS / 1000} s.`)
  if (code !== undefined) throw new Error(`${KEY_SOURCES.command}: failed with ${code}.`)
  if (status !== 0) throw new Error(`${KEY_SOURCES.command}: ended with ${signal ?? `exit code ${status}`}.`)
  if (stdout.trim() === '') throw new Error(`${KEY_SOURCES.command}: printed nothing.`)
  return unbroken(stdout)
}

const unbroken = (text: string) => text.replace(/\r?\n$/, '')
