import { startTestServers } from '../harness/servers.ts'
import { type Cell, nameOf, STRIKES } from './cells.ts'
import { strikeOnce } from './crash.ts'
import { prepareGround } from './ground.ts'
import { ADAPTERS } from './psps.ts'
import { ACCEPTANCE_STEPS } from './steps.ts'

const servers = await startTestServers()
Object.assign(process.env, servers.env)
const t0 = Date.now()
const wanted = process.argv.slice(2).filter((s) => s.includes(':'))
const strikes = wanted.length > 0 ? STRIKES.filter((s) => wanted.includes(s)) : STRIKES
const ground = await prepareGround({ disputes: strikes.length * ACCEPTANCE_STEPS.length })
console.log('ground', Date.now() - t0)
try {
  for (const strike of strikes) {
    const t = Date.now()
    const cells: Cell[] = ACCEPTANCE_STEPS.flatMap((step) =>
      ADAPTERS.map((adapter) => ({ suite: 'crash', strike, step, adapter, seed: 1 })),
    )
    const outcomes = await strikeOnce(ground, strike, cells)
    const failed = outcomes.filter((one) => one.result !== 'passed')
    console.log(strike, outcomes.length, 'cells', failed.length, 'failed', Date.now() - t, 'ms')
    for (const one of failed) console.log('  ', nameOf(one.cell), one.why.join(' | '))
  }
} finally {
  await ground[Symbol.asyncDispose]()
  await servers[Symbol.asyncDispose]()
}
