import { existsSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundleWorkflows } from '../../workflows/worker/bundle.ts'
import { testServers } from './servers.ts'

/** Built once per run, because each worker would need seconds for it. */
export async function workflowBundle(): Promise<string> {
  const file = join(testServers().folder, 'workflows.js')
  if (existsSync(file)) return file
  const own = `${file}.${process.pid}`
  writeFileSync(own, await bundleWorkflows())
  renameSync(own, file)
  return file
}
