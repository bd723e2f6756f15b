import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { DefaultLogger, Runtime } from '@temporalio/worker'
import { projectFolder } from '../../local/run-script.ts'
import { startTestServers } from '../harness/servers.ts'
import { readArguments } from './arguments.ts'
import { openJournal } from './journal.ts'
import { commitNow, faultsDocument } from './report/document.ts'
import { countOf, type SuiteResult, summaryOf } from './report/report.ts'
import { SUITES, type Suite } from './suites.ts'

/**
 * `npm run torture [-- <suite> …] [-- --reduced] [--adapter A] [--seeds N [--side-by-side N]] [--part NAME] [--cell
 * NAME] [--victim NAME] [--polling dispatch] [--minutes N] [--journal FOLDER] [--write]`: faults against real
 * processes, a real Postgres and a real Temporal. Exits with 1 if a cell failed. --write puts the results into
 * docs/faults.md. --journal keeps the results of finished seeds in its folder and does not run them again at the same
 * commit.
 */
const { suites, options, write, journal: folder } = given()
// Every API and worker inherits it.
if (options.polling) process.env.RECOUP_POLLING = options.polling
// Otherwise each replay of a history logs the states of its worker.
Runtime.install({ logger: new DefaultLogger('WARN') })
const servers = await startTestServers()
Object.assign(process.env, servers.env)
const results: SuiteResult[] = []
const journal = folder === undefined ? undefined : openJournal(folder, commitNow())
// The journal's folder is a path of one machine and does not change the results.
const asked = process.argv
  .slice(2)
  .join(' ')
  .replace(/ *--journal[ =]\S+/, '')
const how = write ? `commit ${commitNow()}, ${cpus().length} cores, \`npm run torture -- ${asked}\`` : ''
try {
  for (const name of suites) {
    const suite: Suite = SUITES[name]
    console.log(`\n${name}: ${suite.title}`)
    const began = Date.now()
    const before = journal?.recalled() ?? 0
    const outcomes = await suite.run({ ...options, journal, print: (line) => console.log(line) })
    results.push({ name, outcomes, ms: Date.now() - began, recalled: (journal?.recalled() ?? 0) - before })
    if (write) keep(results)
  }
  console.log(`\n${summaryOf(results).join('\n')}`)
  process.exitCode = results.some(({ outcomes }) => countOf(outcomes, 'failed') > 0) ? 1 : 0
} finally {
  await servers[Symbol.asyncDispose]()
}

/** Sections of suites that were not run stay unchanged. */
function keep(done: readonly SuiteResult[]): void {
  const file = join(projectFolder, 'docs/faults.md')
  const before = existsSync(file) ? readFileSync(file, 'utf8') : null
  writeFileSync(file, faultsDocument(before, done, how, options.polling))
}

function given(): ReturnType<typeof readArguments> {
  try {
    return readArguments(process.argv.slice(2))
  } catch (error) {
    console.error((error as Error).message)
    return process.exit(2)
  }
}
