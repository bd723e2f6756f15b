import { type ChildProcess, spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { createInterface } from 'node:readline'

/** A process that does one order after the other. */
export interface Child {
  pid: number
  /** @throws its error, or that it ended */
  ask<Reply>(order: object): Promise<Reply>
  [Symbol.asyncDispose](): Promise<void>
}

export interface ChildOptions {
  /** For errors. */
  name: string
  cwd?: string
  env?: NodeJS.ProcessEnv
}

/** Starts a process that reads orders as lines of JSON and replies to each with one: see `serveOrders`. */
export function openChild(command: string, words: string[], { name, cwd, env }: ChildOptions): Child {
  // Its own group: Ctrl-C is for the benchmark, whose end closes the standard input.
  const child = spawn(command, words, { stdio: ['pipe', 'pipe', 'inherit'], detached: true, cwd, env })
  const nextReply = repliesOf(child, name)
  child.stdin?.on('error', () => undefined)
  return {
    pid: child.pid ?? 0,
    async ask<Reply>(order: object) {
      const reply = nextReply()
      child.stdin?.write(`${JSON.stringify(order)}\n`)
      return (await reply) as Reply
    },
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        if (child.exitCode !== null || child.signalCode !== null) return resolve()
        child.once('exit', () => resolve())
        child.stdin?.end()
      }),
  }
}

/**
 * The reply to the order that is sent next. Every other line is read and dropped: peers and the API print on standard
 * output what they please, and a process whose output nobody reads can't end.
 */
function repliesOf(child: ChildProcess, name: string): () => Promise<unknown> {
  if (!child.stdout) throw new Error(`${name} has no output`)
  const lines = createInterface({ input: child.stdout })
  const replies = new EventEmitter()
  lines.on('line', (line) => {
    const reply = parseReply(line)
    if (reply) replies.emit('reply', reply)
  })
  const failed = new Promise<never>((_, reject) => {
    child.once('error', reject)
    lines.once('close', () => reject(new Error(`${name} ended early`)))
  })
  failed.catch(() => undefined)
  return async () => {
    const [{ error, result }] = (await Promise.race([once(replies, 'reply'), failed])) as [ChildReply]
    if (error !== undefined) throw new Error(`${name}: ${error}`)
    return result
  }
}

interface ChildReply {
  bench: true
  error?: string
  result?: unknown
}

function parseReply(line: string): ChildReply | undefined {
  if (!line.startsWith('{"bench":true')) return undefined
  return JSON.parse(line) as ChildReply
}

/** The other end: replies to each order, one after the other, and calls `close` when standard input ends. */
export async function serveOrders(
  handle: (order: never) => Promise<unknown>,
  close: () => Promise<void> = async () => undefined,
): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)
  process.stdout.on('error', () => undefined)
  const say = (reply: ChildReply) => process.stdout.write(`${JSON.stringify(reply)}\n`)
  for await (const line of createInterface({ input: process.stdin })) {
    try {
      say({ bench: true, result: (await handle(JSON.parse(line) as never)) ?? null })
    } catch (error) {
      say({ bench: true, error: (error as Error).message })
    }
  }
  await close()
  process.exit()
}

const ADMIN_SHUTDOWN = '57P01'

/** For peers whose connections outlive their pool, and end with the database that is dropped after a pass. */
export function surviveDroppedDatabases(): void {
  process.on('uncaughtException', (error: Error & { code?: string }) => {
    if (error.code === ADMIN_SHUTDOWN) return
    process.stderr.write(`${error.message}\n`)
    process.exit(1)
  })
}
