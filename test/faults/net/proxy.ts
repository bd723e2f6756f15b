import { type AddressInfo, createServer, connect as dial, type Server, type Socket } from 'node:net'

/** What a connection through the proxy suffers. */
export type Trouble =
  | { kind: 'none' }
  /** Nobody listens, and what was open is reset. */
  | { kind: 'down' }
  /** Whatever is open is reset again and again; new connections are taken. */
  | { kind: 'reset'; everyMs: number }
  /** Nothing arrives any more, and nobody is told; it all arrives when this is over. */
  | { kind: 'silent' }
  /** Each piece, either way, this much later. */
  | { kind: 'delay'; ms: number }
  /** Each connection is cut after so many bytes of answers. */
  | { kind: 'cut'; bytes: number }

/** A TCP proxy in front of a server of ours. */
export interface TcpProxy extends AsyncDisposable {
  port: number
  set(trouble: Trouble): Promise<void>
  /** Connections and pieces that suffered so far. */
  struck(): number
}

export async function openProxy(target: { host: string; port: number }): Promise<TcpProxy> {
  const pairs = new Set<[Socket, Socket]>()
  let trouble: Trouble = { kind: 'none' }
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
      from.on('data', (piece) => {
        const arrive = () => to.destroyed || to.write(piece)
        if (trouble.kind === 'delay' || trouble.kind === 'silent') struck += 1
        if (trouble.kind === 'delay') return void setTimeout(arrive, trouble.ms)
        if (trouble.kind === 'silent') return void waiting.push(arrive)
        passed += counted ? piece.length : 0
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
        // What is on its way with a delay still arrives.
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
      // Connections that were cut or slow before are made anew by whoever needs them.
      if (next.kind === 'cut') resetAll()
    },
    struck: () => struck,
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      await close()
    },
  }
}
