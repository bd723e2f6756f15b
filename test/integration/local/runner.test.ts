import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { projectFolder, scriptArguments } from '../../../local/run-script.ts'
import { testServers } from '../../harness/servers.ts'

const HARNESS = 'test/integration/local/harness.test.ts'
let temporary: string
beforeEach(() => {
  temporary = mkdtempSync(join(tmpdir(), 'recoup-runner-'))
})
afterEach(() => rmSync(temporary, { recursive: true, force: true }))

/** `npm test` with its own temporary folder, which identifies everything that it starts. */
function runTests(extra: Record<string, string> = {}): {
  child: ChildProcess
  output(): string
  ended: Promise<number | null>
} {
  const {
    RECOUP_TEST_POSTGRES_URL: _1,
    RECOUP_TEST_TEMPORAL_ADDRESS: _2,
    RECOUP_TEST_RUN: _3,
    ...inherited
  } = process.env
  const child = spawn(process.execPath, [...scriptArguments('test/run.ts'), HARNESS], {
    cwd: projectFolder,
    env: { ...inherited, TMPDIR: temporary, TEMPORAL_CLI_PATH: testServers().temporalCli, ...extra },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += chunk))
  return { child, output: () => text, ended: new Promise((resolve) => child.on('close', resolve)) }
}

/** Command lines of processes that were started with that temporary folder. */
function running(): string[] {
  return readdirSync('/proc').flatMap((pid) => {
    try {
      if (!readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`TMPDIR=${temporary}\0`)) {
        if (!readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(temporary)) return []
      }
      return [readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')]
    } catch {
      return []
    }
  })
}

async function until(condition: () => boolean, what: string): Promise<void> {
  for (const end = Date.now() + 30_000; !condition(); await pause(50))
    if (Date.now() > end) throw new Error(`timed out: ${what}\n${running().join('\n')}`)
}

const serving = () => running().some((line) => line.includes('server start-dev'))

describe.skipIf(process.platform !== 'linux')('npm test', () => {
  test('ends by itself, with the line of counts, and leaves no process and no file', async () => {
    const { output, ended } = runTests()
    expect(await ended).toBe(0)
    expect(output()).toMatch(/^2 passed, 0 failed, 0 skipped$/m)
    expect(running()).toEqual([])
    expect(readdirSync(temporary).filter((name) => name.startsWith('recoup-'))).toEqual([])
  })

  test.each(['SIGINT', 'SIGTERM', 'SIGKILL'] as const)(
    'leaves no process after %s',
    async (signal) => {
      const { child, ended } = runTests()
      await until(serving, 'the Temporal server of the run')
      child.kill(signal)
      await ended
      await until(() => running().length === 0, 'the end of every process')
      expect(readdirSync(temporary).filter((name) => name.startsWith('recoup-test-'))).toEqual([])
    },
    60_000,
  )

  test('fails loudly when there is no Temporal server', async () => {
    const { output, ended } = runTests({ TEMPORAL_CLI_PATH: join(temporary, 'no-temporal') })
    const code = await ended
    const text = output()
    expect(code).toBe(1)
    expect(text).toContain("THE TESTS CAN'T RUN. TEMPORAL_CLI_PATH is")
    expect(text).toMatch(/^0 passed, 1 failed, 0 skipped$/m)
  })
})
