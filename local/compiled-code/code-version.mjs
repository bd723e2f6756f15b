import { createHash } from 'node:crypto'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Folders of the services' code, which may change in an update although the settings do not. */
const CODE = [
  ...['adapters', 'api', 'console', 'db', 'domain', 'files', 'local', 'process', 'simulators', 'webhooks'],
  ...['workflows', 'package-lock.json'],
]

/**
 * Changes when a file of the code is added, removed or rewritten. JavaScript, because `npm start` asks it before anything
 * is compiled.
 * @param {string} folder the project's
 * @returns {string}
 */
export function codeVersion(folder) {
  const hash = createHash('sha256')
  for (const part of CODE.map((name) => join(folder, name)).filter(existsSync)) {
    const names = statSync(part).isDirectory() ? readdirSync(part, { recursive: true, encoding: 'utf8' }).sort() : ['']
    for (const name of names) {
      const { size, mtimeMs } = statSync(join(part, name))
      hash.update(`${part}/${name} ${size} ${mtimeMs}\n`)
    }
  }
  return hash.digest('hex').slice(0, 16)
}
