import { existsSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker'

/** The bundle's path in compiled code; absent in a source tree. */
export const BUNDLE_FILE = fileURLToPath(new URL('./workflow-bundle.js', import.meta.url))

/** Bundle for a worker: the given file, else the built one, else created now. */
export async function bundleForWorker(given: string | undefined): Promise<{ codePath: string } | { code: string }> {
  if (given) return { codePath: given }
  return existsSync(BUNDLE_FILE) ? { codePath: BUNDLE_FILE } : { code: await bundleWorkflows() }
}

/** Bundles the workflows as one script for the worker's sandbox: about 2 s of CPU and 200 MB. */
export async function bundleWorkflows(): Promise<string> {
  const index = `index${extname(import.meta.filename)}`
  const workflowsPath = join(import.meta.dirname, '..', 'definitions', index)
  const { code } = await bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('WARN') })
  return code
}
