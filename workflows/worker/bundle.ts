import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker'

/** Where `npm run build` puts the bundle, in the built tree. Next to TypeScript there is none. */
export const BUNDLE_FILE = fileURLToPath(new URL('./workflow-bundle.js', import.meta.url))

/** Bundle for a worker: the given file, else the one of the build, else made now. */
export async function bundleForWorker(given: string | undefined): Promise<{ codePath: string } | { code: string }> {
  if (given) return { codePath: given }
  return existsSync(BUNDLE_FILE) ? { codePath: BUNDLE_FILE } : { code: await bundleWorkflows() }
}

/** The workflows as one script for the worker's sandbox: about 2 s of work and 200 MB. */
export async function bundleWorkflows(): Promise<string> {
  const workflowsPath = fileURLToPath(new URL('../definitions/index.ts', import.meta.url))
  const { code } = await bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('WARN') })
  return code
}
