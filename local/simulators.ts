import { createServer } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import { controlRoutes } from '../simulators/engine/control/index.ts'
import { openEngine, pspRoutes } from '../simulators/engine/serve.ts'
import { simulatorNamed } from './psps.ts'

/**
 * Process that plays the PSPs named in RECOUP_SIMULATORS: their control surfaces on RECOUP_SIMULATORS_PORT, one path
 * each (`/stripe`), and every PSP on its own port above it. What happened is kept in RECOUP_SIMULATORS_FOLDER.
 */
const env = process.env
const controlPort = Number(env.RECOUP_SIMULATORS_PORT ?? 12110)
const host = env.RECOUP_SIMULATORS_HOST ?? '127.0.0.1'
const control = new Hono()
const engines: { close(): void }[] = []

for (const source of (env.RECOUP_SIMULATORS ?? 'stripe').split(',')) {
  const psp = simulatorNamed(source)
  if (!psp) throw new Error(`RECOUP_SIMULATORS: there is no simulator of ${source}`)
  const folder = env.RECOUP_SIMULATORS_FOLDER
  const engine = openEngine(psp.definition, folder ? { snapshotFile: `${folder}/${source}.snapshot` } : {})
  engines.push(engine)
  await listen(pspRoutes(psp.definition, engine), controlPort + psp.portOffset)
  control.route(`/${source}`, controlRoutes(engine))
}
control.get('/health', (c) => c.json({ status: 'ok' }))
await listen(control, controlPort)
console.log(`simulators ready, control on port ${controlPort}`)

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    for (const engine of engines) engine.close()
    process.exit(0)
  })

// biome-ignore lint/suspicious/noExplicitAny: a server takes an application of any environment
function listen(app: Hono<any>, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer(getRequestListener(app.fetch))
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
}
