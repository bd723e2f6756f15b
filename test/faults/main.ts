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
 * `npm run torture [-- <suite> …] [-- --reduced] [--adapter A] [--seeds N [--side-by-side N]] [--part NAME] [--cell NAME] [--victim NAME]
 * [--polling dispatch] [--minutes N] [--journal FOLDER] [--write]`: faults against real processes, a real Postgres and a real Temporal. Ends with 1 when
 * something failed. With --write the results go into docs/faults.md. With a journal the seeds that ended are kept in its
 * folder, and not run again at the same commit.
 */
const { suites, options, write, journal: folder } = given()
// Every API and worker has it from here.
if (options.polling) process.env.RECOUP_POLLING = options.polling
// Each replay of a history would tell of its worker's states.
Runtime.install({ logger: new DefaultLogger('WARN') })
const servers = await startTestServers()
Object.assign(process.env, servers.env)
const results: SuiteResult[] = []
const journal = folder === undefined ? undefined : openJournal(folder, commitNow())
// Where a journal lay is no matter of the results, and a path of one machine.
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
    const outcomes = await suite.run({ ...options, journal, told: (line) => console.log(line) })
    results.push({ name, outcomes, ms: Date.now() - began, recalled: (journal?.recalled() ?? 0) - before })
    if (write) keep(results)
  }
  console.log(`\n${summaryOf(results).join('\n')}`)
  process.exitCode = results.some(({ outcomes }) => countOf(outcomes, 'failed') > 0) ? 1 : 0
} finally {
  await servers[Symbol.asyncDispose]()
}

/** Parts of suites that were not run stay as they are. */
function keep(done: readonly SuiteResult[]): void {
  const file = join(projectFolder, 'docs/faults.md')
  const before = existsSync(file) ? readFileSync(file, 'utf8') : null
  writeFileSync(file, faultsDocument(before, done, how))
}

function given(): ReturnType<typeof readArguments> {
  try {
    return readArguments(process.argv.slice(2))
  } catch (error) {
    console.error((error as Error).message)
    return process.exit(2)
  }
}
