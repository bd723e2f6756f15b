import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { codeVersion } from './code-version.mjs'

/** Versions that are kept: one may still run for another data folder. */
const KEPT = 5

/**
 * The folder with the compiled code of the project as it is now. `npm install` compiles it, `npm start` again after a change.
 * JavaScript, because it runs before anything is compiled.
 * @param {string} project its folder
 * @param {string} all folder of all versions
 * @returns {Promise<string>}
 * @throws with the output of the compiler if it fails
 */
export async function provideCompiledCode(project, all = join(project, '.compiled')) {
  const folder = join(all, codeVersion(project))
  if (!existsSync(folder)) await compile(all, folder)
  const now = new Date()
  utimesSync(folder, now, now)
  return folder
}

/** Renamed when it is complete: what was interrupted leaves no half of it under the final name. */
async function compile(all, folder) {
  await import('tsx')
  const { compileInto } = await import('./compile.ts')
  mkdirSync(all, { recursive: true })
  const partial = `${folder}.${randomUUID()}`
  try {
    await compileInto(partial)
    renameSync(partial, folder)
  } catch (error) {
    rmSync(partial, { recursive: true, force: true })
    // Another process has compiled it meanwhile.
    if (!existsSync(folder)) throw error
  }
  const used = (name) => statSync(join(all, name)).mtimeMs
  const oldest = readdirSync(all).sort((one, other) => used(other) - used(one))
  for (const name of oldest.slice(KEPT)) rmSync(join(all, name), { recursive: true, force: true })
}
