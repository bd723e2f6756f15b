import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** The folder that the running code was started from: the project, or a folder in it with the compiled code. */
export const codeFolder = join(import.meta.dirname, '..')

/** The project's folder, also when the compiled code runs. */
export const projectFolder = enclosingProject(codeFolder)

function enclosingProject(folder: string): string {
  for (let at = folder; at !== dirname(at); at = dirname(at)) if (existsSync(join(at, 'package-lock.json'))) return at
  // An image has only the compiled code.
  return folder
}

/**
 * Arguments for `process.execPath` that run a script of this project: its JavaScript when this code runs compiled, else its
 * TypeScript. One process, unlike the `tsx` command, so that the process id is the script's own.
 */
export function scriptArguments(script: string): string[] {
  if (import.meta.filename.endsWith('.js')) return [join(codeFolder, script.replace(/\.ts$/, '.js'))]
  const loader = createRequire(import.meta.url).resolve('tsx')
  return ['--import', pathToFileURL(loader).href, join(projectFolder, script)]
}
