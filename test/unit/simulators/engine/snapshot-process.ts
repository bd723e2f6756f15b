import { startSimulator } from '../../../../simulators/engine/serve.ts'
import { stripeSimulator } from '../../../../simulators/stripe/index.ts'

/** The line it prints. */
export interface Started {
  url: string
  controlUrl: string
}

/** Run by snapshot.test.ts, which kills it. */
const [, , snapshotFile] = process.argv
const simulator = await startSimulator(stripeSimulator, { snapshotFile })
const started: Started = { url: simulator.url, controlUrl: simulator.controlUrl }
console.log(JSON.stringify(started))
