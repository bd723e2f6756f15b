import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

/** A process that does one order after the other. */
export interface Child {
  pid: number
  /** @throws its error, or that it ended */
  ask<Answer>(order: object): Promise<Answer>
  [Symbol.asyncDispose](): Promise<void>
}

export interface ChildOptions {
  /** For errors. */
  name: string
  cwd?: string
  env?: NodeJS.ProcessEnv
}

/** Starts a process that reads orders as lines of JSON and answers each with one: see `serveOrders`. */
export function openChild(command: string, words: string[], { name, cwd, env }: ChildOptions): Child {
  // Its own group: Ctrl-C is for the benchmark, whose end closes the standard input.
  const child = spawn(command, words, { stdio: ['pipe', 'pipe', 'inherit'], detached: true, cwd, env })
  const answers = answersOf(child, name)
  child.stdin?.on('error', () => undefined)
  return {
    pid: child.pid ?? 0,
    async ask<Answer>(order: object) {
      child.stdin?.write(`${JSON.stringify(order)}\n`)
      return (await answers()) as Answer
    },
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        if (child.exitCode !== null || child.signalCode !== null) return resolve()
        child.once('exit', () => resolve())
        child.stdin?.end()
      }),
  }
}

function answersOf(child: ChildProcess, name: string): () => Promise<unknown> {
  if (!child.stdout) throw new Error(`${name} has no output`)
  const failed = new Promise<never>((_, reject) => child.once('error', reject))
  failed.catch(() => undefined)
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return async () => {
    for (;;) {
      const { value, done } = await Promise.race([lines.next(), failed])
      if (done) throw new Error(`${name} ended early`)
      // Peers print on standard output what they please.
      const answer = parseAnswer(value)
      if (answer === undefined) continue
      if (answer.error !== undefined) throw new Error(`${name}: ${answer.error}`)
      return answer.result
    }
  }
}

interface Answer {
  bench: true
  error?: string
  result?: unknown
}

function parseAnswer(line: string): Answer | undefined {
  if (!line.startsWith('{"bench":true')) return undefined
  return JSON.parse(line) as Answer
}

/** The other end: answers each order, one after the other, and calls `close` when standard input ends. */
export async function serveOrders(
  handle: (order: never) => Promise<unknown>,
  close: () => Promise<void> = async () => undefined,
): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)
  process.stdout.on('error', () => undefined)
  const say = (answer: Answer) => process.stdout.write(`${JSON.stringify(answer)}\n`)
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
