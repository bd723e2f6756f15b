import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { startTestServers } from '../harness/servers.ts'
import { livePlanted } from './planted.ts'
import { live, PSPS } from './simulate.ts'
import { openSimulation } from './world.ts'

const HELP = `npm run sim [-- --seed <number>] [--lives 1000] [--psp ${PSPS.join(' | ')}] [--first] [--tell]
npm run sim -- --planted

Compares lives of chargebacks with a model of the rules: client calls, decisions of the PSP, faults, crashes and moves of
the clock in an order that the seed determines. Every life has its own seed, counted up from the first. --first stops at
the first life that fails, without shortening it. --tell prints each life. --planted runs lives in copies of the source
tree with a seeded bug: the model must find each bug.
`

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    lives: { type: 'string', default: '1000' },
    psp: { type: 'string', multiple: true },
    first: { type: 'boolean' },
    planted: { type: 'boolean' },
    tell: { type: 'boolean' },
    help: { type: 'boolean' },
  },
})

async function main(): Promise<number> {
  if (values.help) {
    process.stdout.write(HELP)
    return 0
  }
  if (values.planted) return livePlanted((sentence) => void process.stdout.write(`${sentence}\n`)) === 0 ? 0 : 1
  const first = values.seed === undefined ? randomInt(2 ** 30) : Number(values.seed)
  const lives = Number(values.lives)
  if (!Number.isInteger(first) || !Number.isInteger(lives)) throw new Error('--seed and --lives are whole numbers')
  const psps = values.psp ?? PSPS
  const servers = process.env.RECOUP_TEST_POSTGRES_URL ? null : await startTestServers()
  if (servers) Object.assign(process.env, servers.env)
  const simulation = await openSimulation()
  let failed = 0
  let steps = 0
  const started = performance.now()
  process.stdout.write(`${lives} lives from seed ${first} on\n`)
  for (let index = 0; index < lives; index++) {
    const psp = psps[index % psps.length] ?? ''
    const end = await live(simulation, psp, first + index, !values.first)
    steps += end.trace.length
    if (values.tell) process.stdout.write(`\n${psp} ${first + index}\n${end.trace.join('\n')}\n`)
    if (end.failure !== null) {
      failed++
      process.stdout.write(`\n${end.failure}\n\n`)
    }
    const done = index + 1
    const over = done === lives || (values.first && failed > 0)
    const minutes = (performance.now() - started) / 60_000
    if (done % 50 === 0 || over)
      process.stdout.write(
        `${done} lives, ${failed} failed, ${Math.round(done / minutes)} lives and ${Math.round(steps / minutes)} steps a minute\n`,
      )
    if (over) break
  }
  await simulation[Symbol.asyncDispose]()
  await servers?.[Symbol.asyncDispose]()
  return failed === 0 ? 0 : 1
}

process.exitCode = await main().catch((error: Error) => {
  process.stderr.write(`${error.message}\n`)
  return 1
})
