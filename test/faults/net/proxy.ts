import { type AddressInfo, createServer, connect as dial, type Server, type Socket } from 'node:net'

/** A network fault of the proxy. */
export type NetworkFault =
  | { kind: 'none' }
  /** Refuses connections and resets open ones. */
  | { kind: 'down' }
  /** Resets open connections repeatedly; accepts new ones. */
  | { kind: 'reset'; everyMs: number }
  /** Holds all bytes back without an error; they arrive when the fault is over. */
  | { kind: 'silent' }
  /** Delays each chunk, in both directions. */
  | { kind: 'delay'; ms: number }
  /** Resets each connection after so many bytes of responses. */
  | { kind: 'cut'; bytes: number }

/** A TCP proxy in front of Postgres or Temporal. */
export interface TcpProxy extends AsyncDisposable {
  port: number
  set(trouble: NetworkFault): Promise<void>
  /** Number of connections and chunks that were hit so far. */
  struck(): number
}

export async function openProxy(target: { host: string; port: number }): Promise<TcpProxy> {
  const pairs = new Set<[Socket, Socket]>()
  let trouble: NetworkFault = { kind: 'none' }
  let timer: NodeJS.Timeout | undefined
  let server: Server | null = null
  let struck = 0
  const waiting: (() => void)[] = []
  const resetAll = () => {
    struck += pairs.size
    for (const pair of pairs) for (const socket of pair) socket.resetAndDestroy()
  }
  const serve = (client: Socket) => {
    const origin = dial(target)
    const pair: [Socket, Socket] = [client, origin]
    pairs.add(pair)
    let passed = 0
    const pass = (from: Socket, to: Socket, counted: boolean) =>
      from.on('data', (chunk) => {
        const arrive = () => to.destroyed || to.write(chunk)
        if (trouble.kind === 'delay' || trouble.kind === 'silent') struck += 1
        if (trouble.kind === 'delay') return void setTimeout(arrive, trouble.ms)
        if (trouble.kind === 'silent') return void waiting.push(arrive)
        passed += counted ? chunk.length : 0
        if (trouble.kind === 'cut' && passed > trouble.bytes) {
          struck += 1
          client.resetAndDestroy()
          return void origin.resetAndDestroy()
        }
        arrive()
      })
    pass(client, origin, false)
    pass(origin, client, true)
    for (const [socket, other] of [pair, [origin, client]] as const) {
      socket.setNoDelay(true)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        pairs.delete(pair)
        // Delayed bytes still arrive.
        setTimeout(() => other.destroy(), trouble.kind === 'delay' ? trouble.ms : 0)
      })
    }
  }
  const open = (port: number) =>
    new Promise<number>((resolve, reject) => {
      const listening = createServer(serve)
      server = listening
      listening.once('error', reject)
      listening.listen(port, '127.0.0.1', () => resolve((listening.address() as AddressInfo).port))
    })
  const close = async () => {
    const closing = server
    server = null
    resetAll()
    if (closing) await new Promise((go) => closing.close(go))
  }
  const port = await open(0)
  return {
    port,
    async set(next) {
      clearInterval(timer)
      trouble = next
      for (const arrive of waiting.splice(0)) arrive()
      if (next.kind === 'down') await close()
      else if (!server) await open(port)
      if (next.kind === 'reset') {
        resetAll()
        timer = setInterval(resetAll, next.everyMs)
      }
      // Existing connections may have passed the limit already: clients open new ones.
      if (next.kind === 'cut') resetAll()
    },
    struck: () => struck,
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      await close()
    },
  }
}
