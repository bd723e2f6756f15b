import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { compileInto } from '../../../local/compiled-code/compile.ts'
import { scriptArguments } from '../../../local/run-script.ts'

const BUILT = 'product'

/**
 * Compiles Recoup into the folder of a test run, and with it the API and the worker that have fault points.
 * @throws with the output of the compiler if it fails
 */
export const buildInto = (folder: string): Promise<void> =>
  compileInto(join(folder, BUILT), 'test/harness/installation/tsconfig.json')

/** Arguments for `process.execPath` that run a script, compiled if this run has it compiled. */
export function argumentsFor(script: string): string[] {
  const folder = process.env.RECOUP_TEST_FOLDER
  const built = folder && join(folder, BUILT, script.replace(/\.ts$/, '.js'))
  return built && existsSync(built) ? [built] : scriptArguments(script)
}
