import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { codeVersion } from '../code-version.ts'
import type { DataFolder } from '../data-folder.ts'
import { runCommand } from '../run-command.ts'
import { projectFolder, scriptArguments } from '../run-script.ts'

/** Which code the bundle was made of. */
const NOTE = 'workflows.json'
const TIMEOUT_MS = 60_000

/**
 * The file with the workflows as the worker runs them. A process of its own makes it while Postgres and Temporal start: the
 * worker would make it when nothing else is left to do. The file of an earlier start is used again while the code is the same.
 * @throws with the output of the process when it fails
 */
export async function provideWorkflowBundle(folder: DataFolder): Promise<string> {
  const file = join(folder.path, 'workflows.js')
  const version = codeVersion()
  if (existsSync(file) && folder.read<{ version: string }>(NOTE)?.version === version) return file
  const script = [...scriptArguments('local/workflow-bundle/write.ts'), file]
  const { code, output } = await runCommand(process.execPath, script, { cwd: projectFolder, timeoutMs: TIMEOUT_MS })
  if (code !== 0) throw new Error(`The workflows could not be bundled:\n${output}`)
  folder.write(NOTE, { version })
  return file
}
