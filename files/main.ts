import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Order, ProcessPurpose, Reply } from './jobs.ts'
import { loadLibraries, perform } from './perform.ts'

/** The main loop of a file process: one job after the other, each watched by a thread. */
export async function serveJobs(): Promise<void> {
  const [mostRss, purpose] = process.argv.slice(2)
  const watch = new Worker(new URL('./watch.mjs', import.meta.url), {
    execArgv: [],
    workerData: { mostRss: Number(mostRss) },
  })
  await Promise.all([once(watch, 'message'), loadLibraries(purpose as ProcessPurpose)])
  watch.unref()
  process.on('message', async ({ job, input, cpuMs }: Order) => {
    watch.postMessage(cpuMs)
    const outcome = await perform(job, input).then(
      (result) => ({ result }),
      (error) => ({ failed: (error as Error).name }),
    )
    watch.postMessage(null)
    process.send?.({ ...outcome, rss: process.memoryUsage.rss() } satisfies Reply)
  })
  // An unhandled rejection of a parser must not end the running job: only its result counts.
  process.on('unhandledRejection', () => {})
  process.on('disconnect', () => process.exit())
  process.send?.('ready')
}
