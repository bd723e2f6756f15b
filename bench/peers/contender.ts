import { type Child, openChild } from '../runner/child.ts'
import { type Cost, clusterTime } from '../runner/clocks.ts'
import type { Databases } from '../runner/databases.ts'

/** What one sync of a PSP account into a database took. */
export interface Pass extends Cost {
  /** Disputes that were read. */
  rows: number
  /** Most memory that the process ever had. */
  rssMb: number
}

/** Recoup or a peer: something that copies a PSP account into a database. */
export interface Contender<P extends Pass = Pass> {
  /** For the report, with its version. */
  name: string
  /** Copied for each pass; null = an empty database. */
  template: string | null
  open(databaseUrl: string): Promise<void>
  sync(): Promise<P>
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

type Measured<P extends Pass> = Omit<P, 'postgresCpuMs'>

/** A contender in a separate process that knows the orders `open`, `sync` and `close`. */
export function contenderProcess<P extends Pass = Pass>(
  name: string,
  { command, words, env }: { command: string; words: string[]; env?: NodeJS.ProcessEnv },
  setting: { pspUrl: string; postmaster: number | null; template?: string; order?: object },
): Contender<P> {
  const child: Child = openChild(command, words, { name, ...(env && { env }) })
  return {
    name,
    template: setting.template ?? null,
    open: (databaseUrl) => child.ask({ do: 'open', pspUrl: setting.pspUrl, databaseUrl, ...setting.order }),
    async sync() {
      const { result, postgresCpuMs } = await clusterTime(setting.postmaster, () =>
        child.ask<Measured<P>>({ do: 'sync' }),
      )
      return { ...result, postgresCpuMs } as P
    },
    close: () => child.ask({ do: 'close' }),
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  }
}

/** `work` with the contender open on a fresh database, after a checkpoint. */
export async function onFreshDatabase<T, P extends Pass>(
  databases: Databases,
  contender: Contender<P>,
  work: (contender: Contender<P>, databaseUrl: string) => Promise<T>,
): Promise<T> {
  const databaseUrl = await databases.create(contender.template ?? undefined)
  try {
    await contender.open(databaseUrl)
    await databases.checkpoint()
    try {
      return await work(contender, databaseUrl)
    } finally {
      await contender.close()
    }
  } finally {
    await databases.drop(databaseUrl)
  }
}
