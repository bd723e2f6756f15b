import { answers } from './attacker-sockets.ts'
import { ATTACKS, type AttackName } from './attacks.ts'

/** A separate process, so that the attack costs the honest client no CPU time. Prints its responses on SIGTERM. */
process.on('SIGTERM', () => {
  process.stdout.write(`${JSON.stringify(Object.fromEntries(answers))}\n`, () => process.exit(0))
})
// Sockets that are not read don't keep the process alive.
setInterval(() => {}, 60_000)
ATTACKS[process.env.ATTACK as AttackName].run(JSON.parse(process.env.AGAINST ?? '{}'))
