import { TestWorkflowEnvironment } from '@temporalio/testing'

/** Separate process: lets the SDK download a Temporal CLI into the folder given as argument. */
const downloadDir = process.argv[2]
if (!downloadDir) throw new Error('usage: temporal-download.ts <folder>')
const environment = await TestWorkflowEnvironment.createLocal({
  server: { executable: { type: 'cached-download', downloadDir }, log: { format: 'pretty', level: 'error' } },
})
await environment.teardown()
process.exit(0)
