import { accessSync, constants, existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { homedir, tmpdir } from 'node:os'
import { delimiter, dirname, isAbsolute, join } from 'node:path'
import { runCommand } from '../run-command.ts'

/** The newest CLI that `go install` can build; its server is 1.29.1. */
export const CLI_VERSION = '1.5.1'

export interface TemporalCli {
  path: string
  /** How it was found, for the output. */
  origin: string
  /** First line of `temporal --version`. */
  version: string
}

export interface Surroundings {
  env: NodeJS.ProcessEnv
  home: string
  /** Path of the SDK's own download. */
  temporary: string
}

const here = (): Surroundings => ({ env: process.env, home: homedir(), temporary: tmpdir() })

/** Per user, so that one build serves every clone. */
export function temporalCache(around: Surroundings = here()): string {
  const base = around.env.XDG_CACHE_HOME
  return join(base && isAbsolute(base) ? base : join(around.home, '.cache'), 'recoup', 'temporal')
}

export function sdkVersion(): string {
  const entry = createRequire(import.meta.url).resolve('@temporalio/testing')
  return JSON.parse(readFileSync(join(dirname(dirname(entry)), 'package.json'), 'utf8')).version
}

/** Path of the CLI from each source. */
export const builtCli = (cache: string) => join(cache, CLI_VERSION, 'temporal')
export const downloadedCli = (cache: string) => join(cache, `sdk-${sdkVersion()}`, 'temporal')
export const sdkDownloadName = () => `temporal-sdk-typescript-${sdkVersion()}`

/**
 * A Temporal CLI that is already on this machine: `TEMPORAL_CLI_PATH`, `PATH`, the user's cache, the SDK's own
 * download. Candidates that don't run are passed over, but one that was named on purpose is an error.
 * @returns null when there is none
 */
export async function findTemporalCli(around: Surroundings = here()): Promise<TemporalCli | null> {
  const named = around.env.TEMPORAL_CLI_PATH
  if (named) {
    const version = await cliVersion(named)
    if (!version)
      throw new Error(`TEMPORAL_CLI_PATH is ${named}, which does not run as a Temporal CLI: correct or unset it`)
    return { path: named, origin: 'TEMPORAL_CLI_PATH', version }
  }
  const cache = temporalCache(around)
  const candidates: [string, string][] = [
    ...(around.env.PATH ?? '')
      .split(delimiter)
      .filter(Boolean)
      .map((folder): [string, string] => [join(folder, 'temporal'), 'PATH']),
    [builtCli(cache), 'cache'],
    [downloadedCli(cache), 'cache'],
    [join(around.temporary, sdkDownloadName()), "the SDK's download"],
  ]
  for (const [path, origin] of candidates) {
    const version = await cliVersion(path)
    if (version) return { path, origin, version }
  }
  return null
}

/** Output of `--version`, or null when the file is missing or can't be executed. */
export async function cliVersion(path: string): Promise<string | null> {
  try {
    if (!existsSync(path)) return null
    accessSync(path, constants.X_OK)
    const { code, output } = await runCommand(path, ['--version'], { timeoutMs: 10_000 })
    return code === 0 && /temporal/i.test(output) ? (output.trim().split('\n')[0] ?? null) : null
  } catch {
    return null
  }
}
