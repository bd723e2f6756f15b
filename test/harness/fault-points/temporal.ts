import type { Client, WorkflowClient } from '@temporalio/client'
import { WORKFLOWS } from '../../../workflows/contract.ts'
import type { AtFaultPoint } from './points.ts'

const COMMANDS: readonly unknown[] = [WORKFLOWS.acceptChargeback, WORKFLOWS.submitEvidence]

/** Fault points before and after that client starts a command's workflow run, or the build of a package. */
export function watchStarts({ workflow }: Client, at: AtFaultPoint): void {
  const start = workflow.start.bind(workflow)
  workflow.start = (async (type: Parameters<typeof start>[0], options: Parameters<typeof start>[1]) => {
    const [input] = (options.args ?? []) as { chargebackId: string }[]
    const work = COMMANDS.includes(type) ? 'dispatch' : type === WORKFLOWS.buildPackage ? 'build' : null
    if (!work || !input) return start(type, options)
    await at(`${work}.before_start`, input.chargebackId)
    const started = await start(type, options)
    await at(`${work}.after_start`, input.chargebackId)
    return started
  }) as WorkflowClient['start']
}
