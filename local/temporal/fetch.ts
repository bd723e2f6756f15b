import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { withFileLock } from '../file-lock.ts'
import { runCommand } from '../run-command.ts'
import { scriptArguments } from '../run-script.ts'
import {
  builtCli,
  CLI_VERSION,
  cliVersion,
  downloadedCli,
  findTemporalCli,
  sdkDownloadName,
  type TemporalCli,
  temporalCache,
} from './cli.ts'

/** Called at least once a second during a download, a build or a wait. */
export type Progress = (sentence: string) => void

/** ms without a new byte after which a download is aborted: some networks drop packets instead of refusing. */
const DOWNLOAD_SILENCE_MS = 20_000
const BUILD_TIMEOUT_MS = 30 * 60_000

/**
 * A Temporal CLI: the one that is there, else fetched or built once for this user, also if several starts run at once.
 * @throws an Error that says what to do when neither works
 */
export async function ensureTemporalCli(progress: Progress): Promise<TemporalCli> {
  const found = await findTemporalCli()
  if (found) return found
  const cache = temporalCache()
  mkdirSync(cache, { recursive: true })
  return withFileLock(
    join(cache, 'lock'),
    async () => {
      // The previous holder of the lock may have fetched it.
      const meanwhile = await findTemporalCli()
      if (meanwhile) return meanwhile
      const failures: string[] = []
      for (const bring of [download, build]) {
        try {
          return await bring(cache, progress)
        } catch (error) {
          failures.push((error as Error).message)
        }
      }
      throw new Error(
        `No Temporal server on this machine, and none could be brought (${failures.join('; ')}): install Go 1.25 or newer, or put a Temporal CLI on the PATH or into TEMPORAL_CLI_PATH, or set TEMPORAL_ADDRESS to a server of yours`,
      )
    },
    (pid, ms) => progress(`Another start (process ${pid}) is bringing the Temporal server, ${seconds(ms)}`),
  )
}

/** The SDK's own download, in a separate process, because its native code can't be cancelled. */
async function download(cache: string, progress: Progress): Promise<TemporalCli> {
  const folder = join(cache, `download-${process.pid}`)
  mkdirSync(folder, { recursive: true })
  const started = Date.now()
  let bytes = 0
  let grown = Date.now()
  let giveUp: (error: Error) => void = () => undefined
  const silence = new Promise<never>((_, reject) => {
    giveUp = reject
  })
  const abort = new AbortController()
  const timer = setInterval(() => {
    const size = folderBytes(folder)
    if (size !== bytes) grown = Date.now()
    bytes = size
    progress(`Downloading the Temporal server: ${(bytes / 1_048_576).toFixed(0)} MB, ${seconds(Date.now() - started)}`)
    if (Date.now() - grown > DOWNLOAD_SILENCE_MS) giveUp(new Error('the download stood still'))
  }, 1_000)
  try {
    const args = [...scriptArguments('local/temporal/download.ts'), folder]
    const run = runCommand(process.execPath, args, { signal: abort.signal })
    const { code } = await Promise.race([run, silence])
    const file = join(folder, sdkDownloadName())
    if (code !== 0 || !existsSync(file)) throw new Error('the download failed')
    return await keep(file, downloadedCli(cache), "the SDK's download")
  } finally {
    clearInterval(timer)
    abort.abort()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function build(cache: string, progress: Progress): Promise<TemporalCli> {
  const go = await runCommand('go', ['env', 'GOVERSION'], { timeoutMs: 10_000 }).catch(() => null)
  const version = /^go1\.(\d+)/.exec(go?.output ?? '')
  if (!version) throw new Error('Go is not installed')
  if (Number(version[1]) < 25) throw new Error(`Go is ${version[0]}, building needs go1.25`)
  const folder = join(cache, `build-${process.pid}`)
  const started = Date.now()
  let fetched = 0
  let compiled = 0
  const tell = () =>
    progress(
      `Building the Temporal server with Go, once for this user (about 5 minutes): ${fetched} modules fetched, ${compiled} packages compiled, ${seconds(Date.now() - started)}`,
    )
  const timer = setInterval(tell, 1_000)
  tell()
  try {
    const link = `-s -w -X github.com/temporalio/cli/temporalcli.Version=${CLI_VERSION}`
    const target = `github.com/temporalio/cli/cmd/temporal@v${CLI_VERSION}`
    const { code, output } = await runCommand('go', ['install', '-v', '-trimpath', '-ldflags', link, target], {
      env: { ...process.env, CGO_ENABLED: '0', GOTOOLCHAIN: 'local', GOBIN: folder },
      timeoutMs: BUILD_TIMEOUT_MS,
      onOutput: (text) => {
        for (const line of text.split('\n')) {
          if (line.startsWith('go: downloading')) fetched++
          else if (line.trim()) compiled++
        }
      },
    })
    if (code !== 0) throw new Error(`go install failed: ${output.trim().split('\n').at(-1)}`)
    return await keep(join(folder, 'temporal'), builtCli(cache), 'go install')
  } finally {
    clearInterval(timer)
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Renamed, so that a file in the cache is always complete. Executable for everybody although `npm start` makes its files
 * private: a container that gets the file runs it as another user.
 */
async function keep(from: string, to: string, origin: string): Promise<TemporalCli> {
  const version = await cliVersion(from)
  if (!version) throw new Error('what was brought does not run on this machine')
  mkdirSync(dirname(to), { recursive: true })
  chmodSync(from, 0o755)
  renameSync(from, to)
  return { path: to, origin, version }
}

function folderBytes(folder: string): number {
  return readdirSync(folder).reduce((sum, name) => {
    return sum + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0)
  }, 0)
}

const seconds = (ms: number) => `${Math.round(ms / 1_000)} s`
