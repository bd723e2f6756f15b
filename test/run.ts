import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { projectFolder } from '../local/run-script.ts'
import { type StartedServers, startTestServers } from './harness/servers.ts'

/**
 * `npm test [-- <vitest arguments>]`, `npm run test:full` for what takes minutes each: servers, vitest, and a last line
 * of the form `N passed, N failed, N skipped`. It leaves no process behind, however it ends: it forwards signals, and
 * the servers' owner notices the end of this process.
 */

/** Projects and folders whose tests need no server. */
const ALONE = ['unit', 'replay', 'containers']
const args = chosen(process.argv.slice(2))
const reports = mkdtempSync(join(tmpdir(), 'recoup-report-'))
const report = join(reports, 'result.json')
let servers: StartedServers | undefined
let vitest: number | undefined

const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const
let stopping = false
for (const [name, code] of Object.entries(SIGNALS)) {
  process.on(name, () => {
    if (stopping) return
    stopping = true
    process.stderr.write(`\n${name}: stopping the tests and their servers\n`)
    void finish(code)
  })
}

try {
  if (needsServers(args)) servers = await startTestServers()
} catch (error) {
  process.stderr.write(`\nTHE TESTS CAN'T RUN. ${(error as Error).message}\n\n0 passed, 1 failed, 0 skipped\n`)
  await finish(1)
}
const code = await runVitest()
// After a signal, its handler ends the run.
if (!stopping) {
  stopping = true
  const result = readResult(code)
  process.stdout.write(`\n${result.passed} passed, ${result.failed} failed, ${result.skipped} skipped\n`)
  await finish(result.failed > 0 ? code || 1 : code)
}

function runVitest(): Promise<number> {
  const entry = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs')
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  return new Promise((resolve) => {
    // A separate group, so that everything in it can be ended at once.
    const child = spawn(process.execPath, [entry, 'run', ...reporters, ...args], {
      cwd: projectFolder,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, ...servers?.env },
      detached: true,
    })
    vitest = child.pid
    if (vitest) servers?.endWithRun(vitest)
    child.on('error', () => resolve(1))
    child.on('exit', (status) => resolve(status ?? 1))
  })
}

/** Without files or projects: all tests except those that take minutes each, or only those (`--full`). */
function chosen(given: string[]): string[] {
  const rest = given.filter((arg) => arg !== '--full')
  if (rest.some((arg) => arg.includes('test/') || arg.startsWith('--project'))) return rest
  const projects = rest.length < given.length ? ['full'] : ['unit', 'integration']
  return [...projects.map((name) => `--project=${name}`), ...rest]
}

function needsServers(given: string[]): boolean {
  const projects = given.flatMap((arg, index) => {
    if (arg === '--project') return [given[index + 1] ?? '']
    return arg.startsWith('--project=') ? [arg.slice('--project='.length)] : []
  })
  const files = given.filter((arg) => arg.includes('test/'))
  if (projects.length > 0) return !projects.every((name) => ALONE.includes(name))
  return files.length === 0 || !files.every((file) => ALONE.some((name) => file.includes(`test/${name}/`)))
}

function readResult(exitCode: number): { passed: number; failed: number; skipped: number } {
  if (!existsSync(report)) return { passed: 0, failed: exitCode === 0 ? 0 : 1, skipped: 0 }
  const json = JSON.parse(readFileSync(report, 'utf8'))
  const skipped = json.numPendingTests + json.numTodoTests
  // A file that doesn't load, or an error outside of tests, has no test to count.
  const failed = json.numFailedTests === 0 && exitCode !== 0 ? 1 : json.numFailedTests
  return { passed: json.numPassedTests, failed, skipped }
}

async function finish(exitCode: number): Promise<never> {
  if (vitest) {
    try {
      process.kill(-vitest, 'SIGKILL')
    } catch {
      // It has ended.
    }
  }
  await servers?.[Symbol.asyncDispose]()
  rmSync(reports, { recursive: true, force: true })
  process.exit(exitCode)
}
