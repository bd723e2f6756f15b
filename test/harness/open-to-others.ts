import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** Paths in a folder that users other than their owner may read, write or enter. Another process may remove some. */
export function openToOthers(folder: string): string[] {
  return ['', ...readdirSync(folder, { recursive: true, encoding: 'utf8' })].filter((name) => {
    const found = lstatSync(join(folder, name), { throwIfNoEntry: false })
    return found && !found.isSymbolicLink() && (found.mode & 0o077) !== 0
  })
}
