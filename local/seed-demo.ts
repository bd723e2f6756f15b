import { z } from 'zod'
import { connect } from '../db/core/connect.ts'
import { portVariable, readPspAddresses, readVariables, sharedVariables } from '../process/config.ts'
import { SIMULATORS } from '../simulators/registry.ts'
import { demoLines, evidenceLines, firstOpenChargeback } from './banner.ts'
import { makeFilesPrivate, openDataFolder } from './data-folder.ts'
import { sendDemoData } from './demo-data.ts'
import { type SimulatedPsp, simulatorNamed } from './psps.ts'
import { connectDemo, ensureDemo, subscribeDemo } from './seed.ts'
import { describeIntegrations } from './stack-file.ts'

/**
 * One-shot process of docker-compose.yml's demo: account, merchant and tokens, 60 disputes at each simulated PSP, each
 * connected, as on the first `npm start`. Safe to repeat; prints the token and three lines to paste each time.
 */
const { DATABASE_URL, RECOUP_ENVIRONMENT, RECOUP_ENCRYPTION_KEYS } = sharedVariables
const variables = {
  ...{ DATABASE_URL, RECOUP_ENVIRONMENT, RECOUP_ENCRYPTION_KEYS },
  RECOUP_DATA_FOLDER: z.string().min(1),
  /** Addresses within the network of the services. */
  RECOUP_DEMO_API_URL: z.url(),
  RECOUP_SIMULATORS_HOST: z.string().min(1),
  RECOUP_SIMULATORS_PORT: portVariable,
  /** The API's URL for the person who reads the lines. */
  RECOUP_DEMO_PUBLIC_URL: z.url(),
}
/** Maximum duration of the first poll on a machine that has just started everything. */
const FIRST_POLL_MS = 60_000

const config = readVariables(variables, process.env)
const environment = config.RECOUP_ENVIRONMENT
if (environment === 'production') throw new Error('The demo needs RECOUP_ENVIRONMENT=sandbox.')
makeFilesPrivate()
const folder = openDataFolder(config.RECOUP_DATA_FOLDER)
const db = connect(config.DATABASE_URL, { max: 1, scope: 'system', environment })
const ring = config.RECOUP_ENCRYPTION_KEYS
const apiUrl = config.RECOUP_DEMO_API_URL
const psps = simulatedPsps()
const at = (psp: SimulatedPsp) => {
  const { RECOUP_SIMULATORS_HOST: host, RECOUP_SIMULATORS_PORT: port } = config
  return { apiUrl, controlUrl: `http://${host}:${port}/${psp.definition.source}` }
}

const demo = await ensureDemo(db, ring, folder, { environment, empty: false })
for (const psp of psps) await connectDemo(demo, folder, psp, at(psp))
const integrations = await describeIntegrations(db, demo)
await db.destroy()
for (const psp of psps) {
  const connected = integrations.find((integration) => integration.source === psp.definition.source)
  if (connected) await subscribeDemo(psp, connected.integrationId, at(psp))
}

const token = demo.tokens.account
const open = psps.length === 0 ? null : await firstOpenChargeback(apiUrl, token, FIRST_POLL_MS)
const built = open ? await sendDemoData(folder, { apiUrl, token, except: open }) : null
const curl = `curl -sS -H 'Authorization: Bearer ${token}'`
const publicUrl = config.RECOUP_DEMO_PUBLIC_URL
const lines = [
  ...['Bearer token (account scope)', token, ''],
  ...(built ? evidenceLines(curl, publicUrl, built) : []),
  ...(open
    ? demoLines(curl, publicUrl, open)
    : ['No chargeback can be accepted at the moment.', `${curl} '${publicUrl}/chargebacks?limit=10'`]),
]
console.log(lines.join('\n'))

/** The PSPs that API and worker expect at the simulators; another one may be real. */
function simulatedPsps(): SimulatedPsp[] {
  const { RECOUP_SIMULATORS_HOST: host, RECOUP_SIMULATORS_PORT: port } = config
  return Object.entries(readPspAddresses(SIMULATORS, process.env, environment)).flatMap(([source, address]) => {
    const psp = simulatorNamed(source)
    return psp && address === `http://${host}:${port + psp.portOffset}` ? [psp] : []
  })
}
