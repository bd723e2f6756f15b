import type { Server } from 'node:http'
import { createAdaptorServer } from '@hono/node-server'
import type { Hono } from 'hono'
import { conducted, type SimulatorApp } from './conduct.ts'
import { controlRoutes } from './control/index.ts'
import type { SimulatorDefinition } from './definition.ts'
import { createEngine, type DisputeEngine } from './engine.ts'
import { openJournal, readEntries } from './journal.ts'

export interface SimulatorOptions {
  /** Port of the PSP's own server; 0 or absent = any free one. Both servers listen on 127.0.0.1 only. */
  port?: number | undefined
  controlPort?: number | undefined
  /** File with the complete state, so that a restarted process continues. Absent = memory only. */
  snapshotFile?: string | undefined
  /** Same seed, same orders, same disputes. */
  seed?: string | undefined
}

export interface RunningSimulator {
  url: string
  controlUrl: string
  engine: DisputeEngine
  [Symbol.asyncDispose](): Promise<void>
}

/** Engine of a simulator with its state restored from `snapshotFile`. */
export function openEngine(
  definition: SimulatorDefinition,
  options: Pick<SimulatorOptions, 'snapshotFile' | 'seed'> = {},
): DisputeEngine {
  const { snapshotFile, seed = 'recoup' } = options
  const entries = snapshotFile === undefined ? [] : readEntries(snapshotFile)
  const journal = snapshotFile === undefined ? undefined : openJournal(snapshotFile)
  const engine = createEngine(definition.profile, { seed, journal, handedOut: [definition.externalIdentifier] })
  engine.restore(entries)
  journal?.rewrite(engine.entries())
  return engine
}

/** The PSP's own server: its routes, with call log, holds and faults. */
export function pspRoutes(definition: SimulatorDefinition, engine: DisputeEngine): SimulatorApp {
  return conducted(engine, definition.routes(engine))
}

/** Serves an application on 127.0.0.1. @throws when the port is taken (EADDRINUSE) */
export async function listen(
  // biome-ignore lint/suspicious/noExplicitAny: a server takes an application of any environment
  app: Hono<any>,
  port = 0,
): Promise<{ url: string; close(): Promise<void> }> {
  const server = createAdaptorServer({ fetch: app.fetch }) as Server
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the simulator has no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Starts one simulated PSP and its control interface. It closes quickly, even with hanging connections. */
export async function startSimulator(
  definition: SimulatorDefinition,
  options: SimulatorOptions = {},
): Promise<RunningSimulator> {
  const engine = openEngine(definition, options)
  const psp = await listen(pspRoutes(definition, engine), options.port)
  const control = await listen(controlRoutes(engine), options.controlPort).catch(async (error: unknown) => {
    await psp.close()
    throw error
  })
  return {
    url: psp.url,
    controlUrl: control.url,
    engine,
    async [Symbol.asyncDispose]() {
      engine.holds.dropAll()
      await Promise.all([psp.close(), control.close()])
      engine.close()
    },
  }
}
