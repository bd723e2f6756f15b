import { scriptArguments } from '../../local/run-script.ts'
import { openChild } from '../runner/child.ts'
import type { BulkChange, BulkCounters, BulkOptions } from './bulk.ts'
import type { Closing } from './closings.ts'

export interface ServerAddresses {
  /** Of Postgres; pid null when DATABASE_URL names the server. */
  postgres: { url: string; pid: number | null }
}

export interface TemporalAddresses {
  address: string
  metricsUrl: string
  pid: number
}

export interface FillOrder {
  count: number
  account: string
  /** Address that gets every notification about them; null = none are sent. */
  notify: string | null
}

export interface BulkOrder extends BulkOptions {
  /** The one before goes on: its disputes have other times. */
  beside?: boolean
}

export type ServerOrder =
  | { do: 'postgres' }
  | { do: 'temporal' }
  | { do: 'temporal_on_postgres'; programs: string; postgresUrl: string }
  | { do: 'closings' }
  | { do: 'simulate'; source: string }
  | ({ do: 'fill' } & FillOrder)
  | ({ do: 'bulk' } & BulkOrder)
  | ({ do: 'change' } & BulkChange)
  | { do: 'counters' }

/** The simulated PSPs, and a separate Postgres unless DATABASE_URL names one, in another process. */
export interface OtherSide extends ServerAddresses {
  /** Starts a Temporal dev server in memory. */
  temporal(): Promise<TemporalAddresses>
  /** Starts a Temporal server, installed in that folder, which keeps everything in the Postgres. */
  temporalOnPostgres(programs: string): Promise<TemporalAddresses & { databases: string[] }>
  /** Disputes that were closed at the bulk Stripe since they were last asked for. */
  closings(): Promise<Closing[]>
  /** Starts the simulator of a PSP. @returns its address */
  simulate(source: string): Promise<string>
  /** Makes disputes at that simulator, and sends all that the PSP would have told about them. */
  fill(order: FillOrder): Promise<void>
  /**
   * Starts the Stripe that has its pages serialised beforehand, in place of the one before or beside it. @returns its
   * address
   */
  bulk(order: BulkOrder): Promise<string>
  change(change: BulkChange): Promise<void>
  /** Requests since they were last asked for. */
  counters(): Promise<BulkCounters>
  [Symbol.asyncDispose](): Promise<void>
}

/** @throws with the sentence of the server that could not be started */
export async function openOtherSide(): Promise<OtherSide> {
  const child = openChild(process.execPath, scriptArguments('bench/psp/servers.ts'), { name: 'the simulated PSP' })
  const ask = <T>(order: ServerOrder) => child.ask<T>(order)
  const external = process.env.DATABASE_URL
  try {
    const postgres = external
      ? { url: external, pid: null }
      : await ask<{ url: string; pid: number }>({ do: 'postgres' })
    return {
      postgres,
      temporal: () => ask<TemporalAddresses>({ do: 'temporal' }),
      temporalOnPostgres: (programs) => ask({ do: 'temporal_on_postgres', programs, postgresUrl: postgres.url }),
      closings: () => ask<Closing[]>({ do: 'closings' }),
      simulate: (source) => ask<string>({ do: 'simulate', source }),
      fill: (order) => ask({ do: 'fill', ...order }),
      bulk: (options) => ask<string>({ do: 'bulk', ...options }),
      change: (change) => ask({ do: 'change', ...change }),
      counters: () => ask<BulkCounters>({ do: 'counters' }),
      [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
    }
  } catch (error) {
    await child[Symbol.asyncDispose]()
    throw error
  }
}
