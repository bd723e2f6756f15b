import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { runCommand } from '../run-command.ts'
import { projectFolder, scriptArguments } from '../run-script.ts'

const TIMEOUT_MS = 60_000

/**
 * Bundles the console for the API and the workflows for the worker, next to the compiled code, if `npm install` has not. A
 * process of its own does it while Postgres and Temporal start: later, people and the worker would wait for it.
 * @param code folder of the compiled code
 * @returns the file with the workflows; the API finds the console itself
 * @throws with the output of the process when it fails
 */
export async function provideBundles(code: string): Promise<string> {
  const workflows = join(code, 'workflows.js')
  if (existsSync(workflows)) return workflows
  const words = [...scriptArguments('local/bundles/write.ts'), workflows]
  const ended = await runCommand(process.execPath, words, { cwd: projectFolder, timeoutMs: TIMEOUT_MS })
  if (ended.code !== 0) throw new Error(`Console and workflows could not be bundled:\n${ended.output}`)
  return workflows
}
