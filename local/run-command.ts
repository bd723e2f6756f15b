import { spawn } from 'node:child_process'

export interface CommandResult {
  code: number | null
  /** Both streams, in order; the last 20,000 characters. */
  output: string
}

export interface CommandOptions {
  cwd?: string
  env?: NodeJS.ProcessEnv
  uid?: number
  gid?: number
  /** ms after which the command and its children are killed and the promise rejects. */
  timeoutMs?: number
  onOutput?: (text: string) => void
  /** Kills the command and its children. */
  signal?: AbortSignal
}

/**
 * Runs a command to its end without a shell.
 * @throws when it can't be started or takes longer than `timeoutMs`
 */
export function runCommand(
  file: string,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<CommandResult> {
  const { timeoutMs, onOutput, signal, ...rest } = options
  return new Promise((resolve, reject) => {
    // A separate process group, so that a time-out also ends child processes (go starts compilers).
    const child = spawn(file, args, { ...rest, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
    let output = ''
    const collect = (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-20_000)
      onOutput?.(chunk.toString())
    }
    child.stdout.on('data', collect)
    child.stderr.on('data', collect)
    const stop = () => {
      if (child.pid && child.exitCode === null && child.signalCode === null) process.kill(-child.pid, 'SIGKILL')
    }
    process.once('exit', stop)
    signal?.addEventListener('abort', stop)
    const timer = timeoutMs
      ? setTimeout(() => {
          stop()
          reject(new Error(`${file} did not end within ${timeoutMs / 1000} s`))
        }, timeoutMs)
      : undefined
    const settle = () => {
      clearTimeout(timer)
      process.removeListener('exit', stop)
      signal?.removeEventListener('abort', stop)
    }
    child.on('error', (error) => {
      settle()
      reject(error)
    })
    child.on('close', (code) => {
      settle()
      resolve({ code, output })
    })
  })
}
