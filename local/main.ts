import { parseArgs } from 'node:util'
import { banner } from './banner.ts'
import { readLocalConfig } from './config.ts'
import { type DataFolder, makeFilesPrivate, openDataFolder } from './data-folder.ts'
import { tryLock } from './file-lock.ts'
import { createConsole } from './progress.ts'
import { holdLines } from './receiver/receiver.ts'
import { projectFolder } from './run-script.ts'
import { createShutdown, type Shutdown } from './shutdown.ts'
import { startStack } from './stack.ts'
import { STACK_FILE } from './stack-file.ts'

const HELP = `npm start [-- --empty]

Runs all of Recoup in this terminal: Postgres, Temporal with its UI, simulated PSPs, API, worker, and
a receiver that prints each webhook.
Everything is kept in .recoup/; remove that folder to begin anew.

  --empty   on the first start: account, merchant and tokens only, no integration and no disputes
  --help    this text

DATABASE_URL, TEMPORAL_ADDRESS          use yours instead of the embedded ones
TEMPORAL_CLI_PATH                       the Temporal CLI to run
STRIPE_API_URL=https://api.stripe.com   the real Stripe (sandbox environment) instead of a simulated one
RECOUP_API_PORT 8080, RECOUP_API_METRICS_PORT 8082, RECOUP_WORKER_PORT 8081, RECOUP_RECEIVER_PORT 8083,
RECOUP_POSTGRES_PORT 54329, RECOUP_TEMPORAL_PORT 7233, RECOUP_TEMPORAL_UI_PORT 8233, RECOUP_SIMULATORS_PORT 12110 (and the ports above it, one per PSP)

All variables: docs/environment.md
`

/** Time for an interrupted start to release what it was about to start, ms. */
const UNWIND_MS = 20_000
/** Interval at which a killed parent is detected, ms. */
const PARENT_MS = 300

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { empty: { type: 'boolean' }, help: { type: 'boolean' } } })
  if (values.help) {
    process.stdout.write(HELP)
    return
  }
  process.chdir(projectFolder)
  const config = readLocalConfig()
  makeFilesPrivate()
  const folder = openDataFolder(config.RECOUP_DATA_FOLDER)
  await takeFolder(folder)
  const shutdown = createShutdown()
  letGoWithParent(shutdown)
  // Removes the file of an earlier start, so that nobody takes it for this one's.
  folder.remove(STACK_FILE)

  const screen = createConsole(process.stdout)
  const empty = values.empty ?? false
  const started = Date.now()
  const events = holdLines((line) => screen.print(`  webhook  ${line}`))
  const output = { say: screen.say, progress: screen.progress, received: events.add }
  const starting = startStack({ config, folder, empty, shutdown, ...output })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => {
      if (shutdown.begun) return
      screen.say('Stopping')
      void stopAll().then(() => {
        screen.say('Stopped')
        process.exit(0)
      })
    })
  const stopAll = async () => {
    await shutdown.run()
    await Promise.race([starting.catch(() => undefined), new Promise((resolve) => setTimeout(resolve, UNWIND_MS))])
    await shutdown.run()
    folder.remove(STACK_FILE)
  }
  // An error of this process must not leave other processes behind.
  process.on('uncaughtException', (error) => {
    screen.say(`The supervisor failed: ${error.message}`)
    void stopAll().then(() => process.exit(1))
  })
  try {
    const { stack, subscribe } = await starting
    if (shutdown.begun) return
    screen.say(`Ready after ${((Date.now() - started) / 1_000).toFixed(1)} s`)
    screen.print(await banner(stack, folder))
    events.release()
    await subscribe()
  } catch (error) {
    if (shutdown.begun) return
    screen.say((error as Error).message)
    await stopAll()
    process.exit(1)
  }
}

/** One supervisor per folder. One whose npm was killed is about to exit, so wait for it briefly. */
async function takeFolder(folder: DataFolder): Promise<void> {
  for (const end = Date.now() + 2_000; ; await new Promise((resolve) => setTimeout(resolve, 100))) {
    const attempt = tryLock(folder.lock)
    if (attempt.held) return
    if (Date.now() > end)
      throw new Error(
        `Recoup already runs on ${folder.path} (process ${attempt.holder?.pid}): stop that one with Ctrl-C, or give this one its own folder and ports (RECOUP_DATA_FOLDER, npm start -- --help)`,
      )
  }
}

/**
 * Started by npm, this process ends like a killed one when npm is killed with -9: the services go on, and the next
 * start adopts them.
 */
function letGoWithParent(shutdown: Shutdown): void {
  if (!process.env.npm_lifecycle_event) return
  const parent = process.ppid
  setInterval(() => {
    if (process.ppid !== parent && !shutdown.begun) process.exit(1)
  }, PARENT_MS).unref()
}

await main().catch((error: Error) => {
  process.stderr.write(`${error.message}\n`)
  process.exit(1)
})
