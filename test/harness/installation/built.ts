import { copyFileSync, cpSync, existsSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { runCommand } from '../../../local/run-command.ts'
import { projectFolder, scriptArguments } from '../../../local/run-script.ts'
import { BUILD_FILES } from '../../../scripts/build-files.ts'

const BUILT = 'product'

/**
 * Compiles what `npm run build` compiles into the folder of a test run, without type checks, which `verify` does. A
 * process then starts with less than half of the CPU time that it needs from TypeScript.
 * @throws if it can't be compiled
 */
export async function buildInto(folder: string): Promise<void> {
  const product = join(folder, BUILT)
  mkdirSync(product)
  copyFileSync(join(projectFolder, 'package.json'), join(product, 'package.json'))
  symlinkSync(join(projectFolder, 'node_modules'), join(product, 'node_modules'), 'dir')
  for (const path of BUILD_FILES) cpSync(join(projectFolder, path), join(product, path), { recursive: true })
  // The API bundles the console when it is first asked for.
  symlinkSync(join(projectFolder, 'console'), join(product, 'console'), 'dir')
  const tsc = join(projectFolder, 'node_modules', '.bin', 'tsc')
  const args = ['--project', 'tsconfig.build.json', '--noCheck', '--sourceMap', 'false', '--outDir', product]
  const { code, output } = await runCommand(tsc, args, { cwd: projectFolder })
  if (code !== 0) throw new Error(`the product can't be compiled:\n${output}`)
}

/** Arguments for `process.execPath` that run a script, compiled if this run has it compiled. */
export function argumentsFor(script: string): string[] {
  const folder = process.env.RECOUP_TEST_FOLDER
  const built = folder && join(folder, BUILT, script.replace(/\.ts$/, '.js'))
  return built && existsSync(built) ? [built] : scriptArguments(script)
}
