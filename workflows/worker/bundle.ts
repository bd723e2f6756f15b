import { fileURLToPath } from 'node:url'
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker'

/** The workflows as one script for the worker's sandbox: about 2 s of work, which RECOUP_WORKFLOW_BUNDLE saves. */
export async function bundleWorkflows(): Promise<string> {
  const workflowsPath = fileURLToPath(new URL('../definitions/index.ts', import.meta.url))
  const { code } = await bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('WARN') })
  return code
}
