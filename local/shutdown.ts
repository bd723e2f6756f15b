/** Components register how they stop; everything stops in order, at any moment of the start. */
export interface Shutdown {
  readonly begun: boolean
  /** Services stop before the servers they need. A component that registers after the signal is stopped at once. */
  register(phase: 'services' | 'servers', stop: () => Promise<void>): void
  /** Stops all of it; a second call waits for the first. */
  run(): Promise<void>
}

export function createShutdown(): Shutdown {
  const stops = { services: [] as (() => Promise<void>)[], servers: [] as (() => Promise<void>)[] }
  const late: Promise<void>[] = []
  let running: Promise<void> | undefined
  const quietly = (stop: () => Promise<void>) => stop().catch(() => undefined)
  return {
    get begun() {
      return running !== undefined
    },
    register(phase, stop) {
      if (running !== undefined) late.push(quietly(stop))
      else stops[phase].push(stop)
    },
    run() {
      running ??= (async () => {
        await Promise.all(stops.services.map(quietly))
        await Promise.all(stops.servers.map(quietly))
      })()
      return running.then(async () => {
        await Promise.all(late)
      })
    },
  }
}
