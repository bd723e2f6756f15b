import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { createInterface } from 'node:readline'
import { scriptArguments } from '../../local/run-script.ts'

export interface TestServers {
  postgresUrl: string
  /** A dev server in memory, shared by all tests of a run: each test uses its own namespace. */
  temporalAddress: string
  /** Path of the CLI, for tests that start their own server. */
  temporalCli: string
  /** Scratch folder of this run, removed at its end. */
  folder: string
}

const VARIABLES = {
  postgresUrl: 'RECOUP_TEST_POSTGRES_URL',
  temporalAddress: 'RECOUP_TEST_TEMPORAL_ADDRESS',
  temporalCli: 'RECOUP_TEST_TEMPORAL_CLI',
  folder: 'RECOUP_TEST_FOLDER',
} as const

/** The servers of this run. @throws if a test that needs them runs outside the integration projects */
export function testServers(): TestServers {
  const read = (name: keyof TestServers) => {
    const value = process.env[VARIABLES[name]]
    if (!value) throw new Error(`${VARIABLES[name]} is missing: run this test with npm test`)
    return value
  }
  return {
    postgresUrl: read('postgresUrl'),
    temporalAddress: read('temporalAddress'),
    temporalCli: read('temporalCli'),
    folder: read('folder'),
  }
}

export interface StartedServers extends TestServers {
  /** For the processes that run the tests. */
  env: Record<string, string>
  /** Ends that process group when this process ends, however it ends. */
  endWithRun(group: number): void
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Starts Postgres and Temporal for one run, as children of a separate process that stops them when this one ends.
 * @throws with the message of that process if one of them can't be started
 */
export async function startTestServers(): Promise<StartedServers> {
  const run = randomUUID()
  const owner = spawn(process.execPath, scriptArguments('test/harness/owner.ts'), {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, RECOUP_TEST_RUN: run },
    detached: true,
  })
  const found = JSON.parse(await firstLine(owner)) as TestServers & { error?: string }
  if (found.error) throw new Error(found.error)
  const env = Object.fromEntries(
    Object.entries(VARIABLES).map(([key, name]) => [name, found[key as keyof TestServers]]),
  )
  return {
    ...found,
    env: { ...env, RECOUP_TEST_RUN: run },
    endWithRun: (group) => {
      owner.stdin?.write(`${group}\n`)
    },
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        if (owner.exitCode !== null || owner.signalCode !== null) return resolve()
        owner.on('exit', () => resolve())
        owner.stdin?.end()
      }),
  }
}

function firstLine(owner: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    owner.on('error', reject)
    owner.on('exit', () => reject(new Error('the owner of the test servers ended before they were up')))
    if (owner.stdout) createInterface({ input: owner.stdout }).once('line', resolve)
  })
}
