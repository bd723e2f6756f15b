import { startTestServers } from '../harness/servers.ts'
import { readArguments } from './arguments.ts'
import { printOutcome, summarise } from './report.ts'
import { SUITES } from './suites.ts'

/**
 * `npm run torture [-- <suite> …] [-- --reduced] [--adapter A] [--seeds N] [--cell victim:step:fault:adapter:seed]`:
 * faults against real processes, a real Postgres and a real Temporal. Ends with 1 when a cell failed.
 */
const { suites, options } = readArguments(process.argv.slice(2))
const servers = await startTestServers()
Object.assign(process.env, servers.env)
const started = Date.now()
try {
  const results = []
  for (const name of suites) {
    console.log(`\n${name}: ${SUITES[name].title}`)
    results.push({ name, outcomes: await SUITES[name].run({ ...options, told: printOutcome }) })
  }
  process.exitCode = summarise(results, options, Date.now() - started) ? 0 : 1
} finally {
  await servers[Symbol.asyncDispose]()
}
