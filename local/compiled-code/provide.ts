import { existsSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { codeVersion } from '../code-version.ts'
import { closeToOthers, type DataFolder } from '../data-folder.ts'
import { compileInto } from './compile.ts'

/** Which code was compiled. */
const NOTE = 'code.json'

/**
 * The folder with the compiled API and worker. They are compiled while Postgres and Temporal start; the result of an
 * earlier start is used again while the code is the same.
 * @throws with the output of the compiler if it fails
 */
export async function provideCompiledCode(folder: DataFolder): Promise<string> {
  const code = join(folder.path, 'code')
  const version = codeVersion()
  if (existsSync(code) && folder.read<{ version: string }>(NOTE)?.version === version) return code
  // Renamed when it is complete: an interrupted start leaves no half of it under the final name.
  const partial = `${code}.partial`
  rmSync(partial, { recursive: true, force: true })
  await compileInto(partial)
  // What is copied keeps the rights that it has in the project.
  closeToOthers(partial)
  rmSync(code, { recursive: true, force: true })
  renameSync(partial, code)
  folder.write(NOTE, { version })
  return code
}
