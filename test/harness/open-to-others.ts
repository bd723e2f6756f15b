import { lstatSync, readdirSync } from 'node:fs'
import { join, relative } from 'node:path'

/** Paths in a folder that users other than their owner may read, write or enter. Another process may remove some. */
export function openToOthers(folder: string): string[] {
  // Without types, readdir enters linked folders, which have other owners.
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  const paths = entries.map(({ parentPath, name }) => relative(folder, join(parentPath, name)))
  return ['', ...paths].filter((name) => {
    const found = lstatSync(join(folder, name), { throwIfNoEntry: false })
    return found && !found.isSymbolicLink() && (found.mode & 0o077) !== 0
  })
}
