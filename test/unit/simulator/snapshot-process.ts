import { startSimulator } from '../../../adapters/simulator/serve.ts'
import { stripeSimulator } from '../../../adapters/stripe/simulator.ts'

/** Run by snapshot.test.ts, which kills it. */
const [, , snapshotFile] = process.argv
const simulator = await startSimulator(stripeSimulator, { snapshotFile })
console.log(JSON.stringify({ url: simulator.url, controlUrl: simulator.controlUrl }))
