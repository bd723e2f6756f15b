import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** The project's folder. */
export const projectFolder = join(import.meta.dirname, '..')

/**
 * Arguments for `process.execPath` that run a TypeScript file of this project. One process, unlike the `tsx` command,
 * so that the process id is the script's own.
 */
export function scriptArguments(script: string): string[] {
  const loader = createRequire(import.meta.url).resolve('tsx')
  return ['--import', pathToFileURL(loader).href, join(projectFolder, script)]
}
