import { createHash } from 'node:crypto'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { projectFolder } from './run-script.ts'

/** What runs in the services, whose code differs after an update though their settings don't. */
const CODE = ['adapters', 'api', 'db', 'domain', 'local', 'process', 'workflows', 'package-lock.json']

/** Differs when a file of the code was added, removed or written anew. */
export function codeVersion(folder = projectFolder): string {
  const hash = createHash('sha256')
  for (const part of CODE.map((name) => join(folder, name)).filter(existsSync)) {
    const names = statSync(part).isDirectory() ? readdirSync(part, { recursive: true, encoding: 'utf8' }).sort() : ['']
    for (const name of names) {
      const { size, mtimeMs } = statSync(join(part, name))
      hash.update(`${part}/${name} ${size} ${mtimeMs}\n`)
    }
  }
  return hash.digest('hex')
}
