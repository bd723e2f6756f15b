import { setPriority } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { createAccount } from '../../../db/merchants/accounts.ts'
import { issueCredential } from '../../../db/merchants/credentials.ts'
import { createMerchant } from '../../../db/merchants/merchants.ts'
import { type Child, startChild } from '../../harness/child.ts'
import { until } from '../../harness/until.ts'
import { type MemoryWatch, watchMemory } from '../net/memory.ts'
import type { SuiteOptions } from '../report/suite-options.ts'
import type { SuiteOutcome } from '../report/suite-outcome.ts'
import { startTestbed, type Testbed } from '../testbed/prepare.ts'
import { ATTACKS, type Attack, type AttackName } from './attacks.ts'
import { honestReads, type Measured, quantile } from './honest.ts'

const IDLE_MS = 15_000
const ATTACK_MS = 20_000
/** Time for connections and slow bodies of an attack to end. */
const QUIET_MS = 8_000
/** Maximum p99 of the honest tenants, as a multiple of their p99 without an attack. */
const TIMES_IDLE = 3
/** ms. Below it, a multiple says more about the machine than about the service. */
const FLOOR_MS = 15
/** Maximum MB above the start: during the attacks, and afterwards. */
const MEMORY = { api: { most: 300, after: 120 }, worker: { most: 100, after: 60 } }
/** Default limits of the service, which the suite's environment lifts. */
const LIMITS = {
  RECOUP_RATE_LIMIT_PER_MINUTE: '1000',
  RECOUP_STRANGER_LIMIT_PER_MINUTE: '300',
  RECOUP_CONNECTIONS_PER_ADDRESS: '256',
}

/**
 * Slow clients and floods, one kind after the other, next to honest tenants. Measures without an attack before each
 * one, because the speed of a shared machine varies.
 */
export async function underLoad({ cell, print }: SuiteOptions): Promise<SuiteOutcome[]> {
  const chosen = (Object.entries(ATTACKS) as [AttackName, Attack][]).filter(([name]) => !cell || name === cell)
  if (chosen.length === 0) return []
  await using testbed = await startTestbed({ disputes: { stripe: 20 }, env: LIMITS })
  const { token } = await credentialOf(testbed, testbed.stack.accountId)
  const honest = { port: portOf(testbed), tokens: [token, await tokenOfNewAccount(testbed, 'Honest account')] }
  const hostile = await tokenOfNewAccount(testbed, 'Hostile account')
  const against = JSON.stringify({ port: honest.port, token: hostile, integrationId: idOf(testbed) })
  await honestReads(honest, IDLE_MS)
  using api = watchMemory(testbed.api.child.pid)
  using worker = watchMemory(testbed.worker.child.pid)
  const idle: Measured = { times: [], failed: [] }
  const attacked: { name: AttackName; title: string; measured: Measured; responses: string }[] = []
  for (const [name, { title }] of chosen) {
    const before = await honestReads(honest, IDLE_MS)
    idle.times.push(...before.times)
    idle.failed.push(...before.failed)
    const attacker = startChild('test/faults/hostile/attacker.ts', { ATTACK: name, AGAINST: against })
    // The CPU time of the attacker is not the service's fault.
    setPriority(attacker.pid, 10)
    const measured = await honestReads(honest, ATTACK_MS)
    const responses = await endOf(attacker)
    attacked.push({ name, title, measured, responses })
    print?.(`  ${name}: ${figuresOf(measured)}; the attacker: ${responses}; before: ${figuresOf(before)}`)
    await pause(QUIET_MS)
  }
  const quiet: SuiteOutcome = {
    ...{ name: 'idle', title: 'without an attack, all pauses together' },
    ...{ result: idle.failed.length > 0 ? 'failed' : 'passed', why: [...idle.failed, figuresOf(idle)] },
  }
  const outcomes = attacked.map(({ name, title, measured, responses }): SuiteOutcome => {
    const broken = brokenBy(measured, idle)
    const why = [...broken, `${figuresOf(measured)}; the attacker: ${responses}`]
    return { name, title, result: broken.length > 0 ? 'failed' : 'passed', why }
  })
  return [quiet, ...outcomes, await memoryOf('api', api, print), await memoryOf('worker', worker, print)]
}

const portOf = ({ api }: Testbed) => Number(new URL((api.child as Child & { url: string }).url).port)
const idOf = ({ connections }: Testbed) => connections.get('stripe')?.integrationId as string

const credentialOf = ({ stack }: Testbed, accountId: string) =>
  issueCredential(stack.db, stack.ring, { accountId, scope: 'account', environment: 'sandbox' })

async function tokenOfNewAccount(testbed: Testbed, name: string): Promise<string> {
  const { db, ring } = testbed.stack
  const { accountId } = await createAccount(db, { name })
  const contact = { email: 'h@example.com', firstName: 'H', lastName: 'H' }
  await createMerchant(db, ring, { accountId, merchantName: 'H', websiteUrl: 'https://h.example.com', contact })
  return (await credentialOf(testbed, accountId)).token
}

async function endOf(attacker: Child): Promise<string> {
  await attacker.stop()
  const last = () => attacker.lines.at(-1) ?? ''
  const line = await until('the attacker prints its responses', async () => last(), {
    holds: (text) => text.startsWith('{'),
  }).catch(() => `failed: ${last()}`)
  return line.replace(/["{}]/g, '').replaceAll(',', ', ') || 'read nothing'
}

const figuresOf = ({ times }: Measured) =>
  `${times.length} reads, median ${quantile(times, 0.5)} ms, p99 ${quantile(times, 0.99)} ms`

function brokenBy({ failed, times }: Measured, idle: Measured): string[] {
  const bound = Math.round(Math.max(quantile(idle.times, 0.99), FLOOR_MS) * TIMES_IDLE)
  return [
    ...(failed.length > 0 ? [`${failed.length} reads of the honest tenants failed: ${[...new Set(failed)]}`] : []),
    ...(quantile(times, 0.99) > bound ? [`p99 is over ${bound} ms, ${TIMES_IDLE} times that without an attack`] : []),
  ]
}

async function memoryOf(
  name: keyof typeof MEMORY,
  watch: MemoryWatch,
  print: SuiteOptions['print'],
): Promise<SuiteOutcome> {
  const bounds = MEMORY[name]
  watch.lowest()
  await pause(QUIET_MS)
  const [most, after] = [Math.round(watch.grown()), Math.round(watch.lowest() - watch.first)]
  const why = `${most} MB more than at the start at the most, ${after} MB afterwards`
  print?.(`  memory of the ${name}: ${why}`)
  const title = `memory of the ${name}: at most ${bounds.most} MB more than at the start, ${bounds.after} MB afterwards`
  const passed = most <= bounds.most && after <= bounds.after
  return { name: `memory_${name}`, title, result: passed ? 'passed' : 'failed', why: [why] }
}
