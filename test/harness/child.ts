import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { stopProcess } from '../../local/processes.ts'
import { argumentsFor } from './installation/built.ts'

/** A process of the product under test. */
export interface Child {
  pid: number
  /** All lines that it has printed so far. */
  lines: string[]
  exited: Promise<number | null>
  kill(signal: NodeJS.Signals): void
  stop(): Promise<void>
}

export function startChild(script: string, env: Record<string, string>): Child {
  const child: ChildProcess = spawn(process.execPath, argumentsFor(script), {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NODE_ENV: 'test', ...env },
  })
  const lines: string[] = []
  for (const stream of [child.stdout, child.stderr])
    if (stream) createInterface({ input: stream }).on('line', (line) => lines.push(line))
  let running = true
  const exited = new Promise<number | null>((resolve) =>
    child.once('exit', (code) => {
      running = false
      resolve(code)
    }),
  )
  const pid = child.pid as number
  return {
    pid,
    lines,
    exited,
    // After its end another process may have its id: many short processes use up all ids within an hour.
    kill: (signal) => void child.kill(signal),
    stop: async () => void (running && (await stopProcess(pid, 8_000))),
  }
}
