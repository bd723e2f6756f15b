import { answers } from './attacker-sockets.ts'
import { ATTACKS, type AttackName } from './attacks.ts'

/** A process of its own: what it costs to attack is not the honest client's. Says on SIGTERM how it was answered. */
process.on('SIGTERM', () => {
  process.stdout.write(`${JSON.stringify(Object.fromEntries(answers))}\n`, () => process.exit(0))
})
// Sockets that are not read keep no process alive.
setInterval(() => {}, 60_000)
ATTACKS[process.env.ATTACK as AttackName].run(JSON.parse(process.env.AGAINST ?? '{}'))
