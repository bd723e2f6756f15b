import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePorts } from '../../../local/free-ports.ts'
import { isAlive, waitForEnd } from '../../../local/processes.ts'
import { projectFolder } from '../../../local/run-script.ts'
import type { StackFile } from '../../../local/stack-file.ts'
import { testServers } from '../servers.ts'

/** `npm start` with its own data folder and ports. */
export interface LocalInstallation {
  folder: string
  env: Record<string, string>
  start(...args: string[]): Start
  [Symbol.asyncDispose](): Promise<void>
}

export interface Start {
  npm: ChildProcess
  output(): string
  /** Resolves when the banner is printed. */
  ready(): Promise<StackFile>
  /** Exit code of npm. */
  ended: Promise<number | null>
}

export async function installLocally(extra: Record<string, string> = {}): Promise<LocalInstallation> {
  const folder = mkdtempSync(join(tmpdir(), 'recoup-local-'))
  const env = {
    RECOUP_DATA_FOLDER: folder,
    ...(await freePorts()),
    RECOUP_POLL_INTERVAL_SECONDS: '2',
    TEMPORAL_CLI_PATH: testServers().temporalCli,
    ...extra,
  }
  const starts: ChildProcess[] = []
  const seen = new Set<number>()
  return {
    folder,
    env,
    start(...args) {
      // The most permissive umask, so that restricted files are restricted on purpose.
      const npm = spawn('sh', ['-c', 'umask 0 && exec npm start -- "$@"', 'sh', ...args], {
        cwd: projectFolder,
        env: { ...process.env, ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
        detached: true,
      })
      starts.push(npm)
      let text = ''
      for (const stream of [npm.stdout, npm.stderr]) stream.on('data', (chunk: Buffer) => (text += chunk.toString()))
      const ended = new Promise<number | null>((resolve) => npm.on('exit', resolve))
      const ready = async () => {
        for (const end = Date.now() + 100_000; !text.includes('Ctrl-C stops everything'); await pause(50))
          if (Date.now() > end || npm.exitCode !== null) throw new Error(`npm start did not become ready:\n${text}`)
        const stack = JSON.parse(readFileSync(join(folder, 'stack.json'), 'utf8')) as StackFile
        for (const pid of Object.values(stack.processes)) if (pid) seen.add(pid)
        return stack
      }
      return { npm, output: () => text, ready, ended }
    },
    async [Symbol.asyncDispose]() {
      for (const npm of starts) signalGroup(npm, 'SIGINT')
      const pids = starts.flatMap((npm) =>
        npm.pid && npm.exitCode === null && npm.signalCode === null ? [npm.pid] : [],
      )
      await waitForEnd(pids, 30_000)
      for (const pid of seen) if (isAlive(pid)) process.kill(pid, 'SIGKILL')
      const data = join(folder, 'postgres')
      if (existsSync(data)) rmSync(realpathSync(data), { recursive: true, force: true })
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Signals the whole process group, as a terminal does on Ctrl-C. */
export function signalGroup(npm: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (npm.pid) process.kill(-npm.pid, signal)
  } catch {
    // It has ended.
  }
}
