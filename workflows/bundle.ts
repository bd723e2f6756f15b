import { fileURLToPath } from 'node:url'
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker'

/** The workflows as one script for the worker's sandbox: about 2 s of work that an image does once, at its build. */
export async function bundleWorkflows(): Promise<string> {
  const workflowsPath = fileURLToPath(new URL('./index.ts', import.meta.url))
  const { code } = await bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('WARN') })
  return code
}
