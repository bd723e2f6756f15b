import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import { processStamp } from './processes.ts'

/** The data of `npm start`: `.recoup/` in the project folder, readable for its owner only. */
export interface DataFolder {
  path: string
  postgres: string
  temporal: string
  simulators: string
  lock: string
  log(name: string): string
  /** Text that is generated once and stored. */
  secret(name: string, make: () => string): string
  write(name: string, value: unknown): void
  read<T>(name: string): T | null
  remove(name: string): void
}

/** Files created by this process and its children are readable for their owner only, whatever the shell's umask. */
export const makeFilesPrivate = () => void process.umask(0o077)

export function openDataFolder(folder: string): DataFolder {
  const path = resolve(folder)
  mkdirSync(path, { recursive: true, mode: 0o700 })
  closeToOthers(path)
  for (const part of ['logs', 'run', 'simulators']) mkdirSync(join(path, part), { recursive: true, mode: 0o700 })
  const place = (name: string, text: string) => {
    const partial = join(path, `${name}.partial`)
    writeFileSync(partial, text, { mode: 0o600 })
    renameSync(partial, join(path, name))
  }
  return {
    path,
    postgres: join(path, 'postgres'),
    temporal: join(path, 'temporal'),
    simulators: join(path, 'simulators'),
    lock: join(path, 'lock'),
    log: (name) => join(path, 'logs', `${name}.log`),
    secret(name, make) {
      if (!existsSync(join(path, name))) place(name, `${make()}\n`)
      return readFileSync(join(path, name), 'utf8').trim()
    },
    write: (name, value) => place(name, `${JSON.stringify(value, null, 2)}\n`),
    read(name) {
      return existsSync(join(path, name)) ? JSON.parse(readFileSync(join(path, name), 'utf8')) : null
    },
    remove: (name) => rmSync(join(path, name), { force: true }),
  }
}

/** Takes from other users all rights to a folder and to what is in it. Postgres protects its own folder. */
export function closeToOthers(path: string): void {
  // When root starts Postgres, it runs as another user, who needs access to a folder of an earlier version in here.
  const shared = process.getuid?.() === 0 && lstatSync(join(path, 'postgres'), { throwIfNoEntry: false })?.isDirectory()
  chmodSync(path, shared ? 0o711 : 0o700)
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (entry.name === 'postgres') continue
    const at = join(path, entry.name)
    if (entry.isFile()) chmodSync(at, 0o600)
    if (entry.isDirectory()) {
      chmodSync(at, 0o700)
      // Without types, readdir enters linked folders, whose files are not ours. Temporal may remove a file meanwhile.
      for (const inner of readdirSync(at, { recursive: true, withFileTypes: true })) {
        const place = join(inner.parentPath, inner.name)
        if (inner.isSymbolicLink() || !lstatSync(place, { throwIfNoEntry: false })) continue
        chmodSync(place, inner.isDirectory() ? 0o700 : 0o600)
      }
    }
  }
}

export const newEncryptionKey = () => `k${Date.now().toString(36)}:${randomBytes(32).toString('base64')}`
export const newPassword = () => randomBytes(18).toString('base64url')

/** Running processes and their start parameters, so that a later start recognises its own. */
export interface RunRecord {
  pid: number
  stamp: string | null
  /** Hash of all start parameters. */
  digest: string
}

const recordFile = (name: string) => join('run', `${name}.json`)

export function noteRunning(folder: DataFolder, name: string, pid: number, digest: string): void {
  folder.write(recordFile(name), { pid, stamp: processStamp(pid), digest } satisfies RunRecord)
}

export function forgetRunning(folder: DataFolder, name: string): void {
  folder.remove(recordFile(name))
}

/** The process that was recorded under this name, if it still runs; a different one with its id does not count. */
export function stillRunning(folder: DataFolder, name: string): RunRecord | null {
  const record = folder.read<RunRecord>(recordFile(name))
  return record?.stamp && processStamp(record.pid) === record.stamp ? record : null
}
