import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Source } from '../domain/integration.ts'
import { scriptArguments } from '../local/run-script.ts'

export interface ServerAddresses {
  pspUrl: string
  /** Null when DATABASE_URL names one. */
  postgres: { url: string; pid: number } | null
}

export interface FillOrder {
  count: number
  account: string
  /** URL that receives every notification about them; null = none are sent. */
  notify: string | null
}

/** A separate process with the simulated PSP and, unless DATABASE_URL is set, Postgres. */
export interface OtherSide extends ServerAddresses {
  /** Creates disputes and sends all their notifications. */
  fill(order: FillOrder): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** @throws with the error of the server that could not be started */
export async function openOtherSide(source: Source, { postgres }: { postgres: boolean }): Promise<OtherSide> {
  const script = [...scriptArguments('bench/servers.ts'), source, ...(postgres ? ['--postgres'] : [])]
  // A separate process group: Ctrl-C stops the benchmark, which stops this.
  const child = spawn(process.execPath, script, { stdio: ['pipe', 'pipe', 'inherit'], detached: true })
  const answers = answersOf(child)
  return {
    ...((await answers()) as ServerAddresses),
    async fill(order) {
      child.stdin?.write(`${JSON.stringify(order)}\n`)
      await answers()
    },
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        if (child.exitCode !== null || child.signalCode !== null) return resolve()
        child.once('exit', () => resolve())
        child.stdin?.end()
      }),
  }
}

/** The next line of the process. @throws its error, or that it has exited */
function answersOf(child: ChildProcess): () => Promise<unknown> {
  if (!child.stdout) throw new Error('the process has no output')
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return async () => {
    const { value, done } = await lines.next()
    if (done) throw new Error('the process with the simulated PSP ended early')
    const answer = JSON.parse(value) as { error?: string }
    if (answer.error) throw new Error(answer.error)
    return answer
  }
}
