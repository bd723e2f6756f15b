import { NativeConnection, Worker } from '@temporalio/worker'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { packageWorkflowId, QUEUES, WORKFLOWS } from '../../../../workflows/contract.ts'
import { connectLazily } from '../../../../workflows/starters/temporal.ts'
import { takeNamespace } from '../../../harness/namespace.ts'
import { testServers } from '../../../harness/servers.ts'
import { until } from '../../../harness/until.ts'
import { workflowBundle } from '../../../harness/workflow-bundle.ts'

/** Slots of the test's worker for builds, and more builds than these. */
const SLOTS = 2
const BUILDS = 8
const COMMANDS = 10

const temporal = async () => connectLazily(testServers().temporalAddress, await takeNamespace())
let client: Awaited<ReturnType<typeof temporal>>
let connection: NativeConnection
beforeAll(async () => {
  client = await temporal()
  connection = await NativeConnection.connect({ address: testServers().temporalAddress })
})
afterAll(async () => {
  await connection.close()
  await client.connection.close()
})

test('builds that take all of their slots keep no command waiting', async () => {
  const building = new Set<string>()
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const bundle = { workflowBundle: { codePath: await workflowBundle() } }
  const activities = {
    async buildPackage({ chargebackId }: { chargebackId: string }) {
      building.add(chargebackId)
      await released
      return { result: 'built' }
    },
    async draftEvidencePlan() {},
  }
  const create = (queue: keyof typeof QUEUES, more: object) =>
    Worker.create({
      ...{ connection, namespace: client.options.namespace, taskQueue: QUEUES[queue], activities },
      ...more,
    })
  const workers = await Promise.all([
    create('building', { maxConcurrentActivityTaskExecutions: SLOTS }),
    create('operations', { ...bundle, maxConcurrentActivityTaskExecutions: SLOTS }),
    create('commands', { ...bundle, maxConcurrentActivityTaskExecutions: SLOTS }),
  ])
  const running = Promise.all(workers.map((worker) => worker.run()))
  const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)
  try {
    const builds = await Promise.all(
      numbers(BUILDS).map((number) =>
        client.workflow.start(WORKFLOWS.buildPackage, {
          taskQueue: QUEUES.operations,
          workflowId: packageWorkflowId(`chargeback-${number}`),
          args: [{ chargebackId: `chargeback-${number}` }],
        }),
      ),
    )
    await until('builds have their slots', async () => building.size === SLOTS)
    const commands = await Promise.all(
      numbers(COMMANDS).map((number) =>
        client.workflow.start(WORKFLOWS.draftEvidence, {
          taskQueue: QUEUES.commands,
          workflowId: `draft-${number}`,
          args: [{ planId: `${number}`, psp: 'stripe' }],
        }),
      ),
    )
    expect(await Promise.all(commands.map((handle) => handle.result()))).toHaveLength(COMMANDS)
    expect(building.size).toBe(SLOTS)
    release()
    expect(await Promise.all(builds.map((handle) => handle.result()))).toEqual(
      numbers(BUILDS).map(() => ({ result: 'built' })),
    )
  } finally {
    release()
    for (const worker of workers) worker.shutdown()
    await running
  }
})
