import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { enqueue } from '../../../db/core/outbox.ts'
import type { Fault } from '../../../simulators/engine/faults.ts'
import { type Match, matches } from '../../../simulators/engine/match.ts'
import type { RunningSimulator } from '../../../simulators/engine/serve.ts'
import { runningPolls } from '../../harness/pollers.ts'
import type { Stack } from '../../harness/stack.ts'
import { until } from '../../harness/until.ts'
import type { AdapterName } from '../testbed/psps.ts'
import { simulated } from '../testbed/psps.ts'
import type { FaultProxy, ProxyFault } from './fault-proxy.ts'
import type { PspFault } from './psp-faults.ts'

/** The request that lists disputes at each PSP. Adyen has none: its disputes come by notification. */
export const LISTS: Partial<Record<AdapterName, Match>> = {
  stripe: { method: 'GET', path: '/v1/disputes', exact: true },
  paypal: { method: 'GET', path: '/v1/customer/disputes', exact: true },
  braintree: { method: 'POST', path: '/merchants/{id}/disputes/advanced_search', exact: true },
  recoup_sandbox: { method: 'GET', path: '/v1/accounts/{id}/chargebacks', exact: true },
}
/** Disputes on a page. */
const PAGE_SIZES: Partial<Record<AdapterName, number>> = { stripe: 100, paypal: 50, braintree: 50, recoup_sandbox: 100 }
/** New disputes at the PSP during a fault. */
export const NEW = 3
/** A running poll absorbs requests for another one, and a poll that stopped early waits for the next request. */
const ASK_EVERY_MS = 2_000
export const END_MS = 120_000

/** One PSP whose list requests get faults. */
export interface Listed {
  stack: Stack
  adapter: AdapterName
  running: RunningSimulator
  door: FaultProxy
  integrationId: string
}

/** Injects one fault into list requests. @returns violations after the fault */
export async function injectListFault(listed: Listed, fault: PspFault): Promise<string[]> {
  const { door, running, adapter } = listed
  const { faults, ledger } = running.engine
  const list = LISTS[adapter] ?? {}
  // A running poll would find the new disputes before the fault is armed.
  const busy = await untilQuiet(listed)
  if (busy) return [busy]
  const from = ledger.totalCalls()
  await orderDisputes(running, fault.between ? (PAGE_SIZES[adapter] ?? 0) + NEW : NEW)
  let armed: Fault | null = null
  const used = () => (armed ? fault.times - armed.left : 0) + (door.prank ? fault.times - door.prank.left : 0)
  if (fault.simulator) {
    const { kind, retryAfter, delayMs = 0 } = fault.simulator
    armed = faults.arm({ kind, left: fault.times, match: list, retryAfter: retryAfter?.(), delayMs })
  } else {
    const concerns = (method: string, path: string) => matches(list, method, path)
    door.prank = { left: fault.times, concerns, ...fault.door, ...betweenPages(listed, fault) }
  }
  const why: string[] = []
  const asking = askAgain(listed)
  try {
    await until('the fault was used', used, { holds: (times) => times >= fault.times, timeoutMs: END_MS })
    if (fault.silence) await pause(Math.max(0, fault.silence(armed)) + 300)
    if (fault.hour) why.push(...(await passHour(listed)))
    await until('every dispute is stored', () => missing(listed), {
      holds: (references) => references.length === 0,
      timeoutMs: END_MS,
    })
  } catch (error) {
    why.push(`I1: ${(error as Error).message.slice(0, 300)}`)
  } finally {
    faults.clear()
    door.prank = null
    await asking.stop()
  }
  if (fault.silence && armed) why.push(...silenceKept(listed, from, fault.silence(armed)))
  why.push(...(await stillRunning(listed)))
  return why
}

export async function orderDisputes(running: RunningSimulator, count: number): Promise<void> {
  await fetch(`${running.controlUrl}/disputes`, {
    method: 'POST',
    body: JSON.stringify({ count, status: 'needs_response', stage: 'chargeback', ageDays: 0.01 }),
  })
}

/** Requests polls until it is stopped. */
export function askAgain({ stack, integrationId }: Listed): { stop(): Promise<void> } {
  let stopped = false
  const asking = (async () => {
    for (let wait = ASK_EVERY_MS; !stopped; wait += 50) {
      if (wait >= ASK_EVERY_MS) {
        await enqueue(stack.db, { kind: 'poll_now', payload: { integrationId } }).catch(() => undefined)
        wait = 0
      }
      await pause(50)
    }
  })()
  return {
    async stop() {
      stopped = true
      await asking
    },
  }
}

/** @returns a violation if polls don't end, so that one PSP's problem does not end the suite */
export async function untilQuiet(listed: Listed): Promise<string | null> {
  try {
    await until('no poll is running', () => isQuiet(listed), { timeoutMs: END_MS })
    return null
  } catch (error) {
    return `I14: ${(error as Error).message}`
  }
}

/** No poll is requested, running or waiting. */
async function isQuiet({ stack, integrationId }: Listed): Promise<boolean> {
  const asked = await stack.db.selectFrom('outbox').select('payload').where('kind', '=', 'poll_now').execute()
  if (asked.some(({ payload }) => JSON.stringify(payload).includes(integrationId))) return false
  return (await runningPolls(stack, integrationId)) === 0
}

/** Changes the list before its second page is read. */
function betweenPages({ running }: Listed, { between }: PspFault): Partial<ProxyFault> {
  if (!between) return {}
  const { engine } = running
  let asked = 0
  let first = ''
  return {
    // The first page passes, the second one comes from a changed list.
    left: 2,
    change(response) {
      if (asked === 1) first = response.body.toString()
      return response
    },
    async before() {
      asked += 1
      if (asked !== 2) return
      if (between === 'shifted') return orderDisputes(running, 1)
      // The last item of the first page, because some lists continue after it.
      const all = engine.account(engine.profile.homeAccount).disputes.all()
      const place = ({ reference }: { reference: string }) => first.lastIndexOf(reference)
      const last = [...all].sort((a, b) => place(b) - place(a))[0]
      if (last) engine.remove(last)
    },
  }
}

/** Disputes of the PSP that are not stored, or are stored with another status. */
export async function missing({ stack, running, integrationId }: Listed): Promise<string[]> {
  const { engine } = running
  const rows = await stack.db
    .selectFrom('chargeback')
    .select(['chargeback_id', 'psp_status'])
    .where('integration_id', '=', integrationId)
    .execute()
  const ours = new Map(rows.map((row) => [row.chargeback_id, row.psp_status]))
  return engine
    .account(engine.profile.homeAccount)
    .disputes.all()
    .filter(({ reference, word }) => {
      const truth = engine.profile.situations.filter((one) => one.word === word).map((one) => one.status)
      return !truth.some((status) => status === ours.get(reference))
    })
    .map(({ reference }) => reference)
}

/** The request budget: after a 429 this account is not called before its wait time is over. */
function silenceKept({ running }: Listed, from: number, silenceMs: number): string[] {
  const calls = running.engine.ledger.calls.filter((call) => call.id > from)
  const refused = calls.find((call) => call.outcome === '429')
  const next = refused && calls.find((call) => call.id > refused.id)
  if (!refused || !next) return []
  const waited = Date.parse(next.when) - Date.parse(refused.when)
  return waited < silenceMs - 100 ? [`request budget: asked again after ${waited} ms, not ${silenceMs}`] : []
}

/** An account may be blocked for at most an hour; the test doesn't wait for it. */
async function passHour({ stack, adapter }: Listed): Promise<string[]> {
  const prefix = `${adapter}:%`
  const { rows } = await sql<{ minutes: number }>`
    select extract(epoch from blocked_until - now())::float8 / 60 as minutes from rate_bucket
    where bucket like ${prefix} and blocked_until > now()`.execute(stack.db)
  await sql`update rate_bucket set blocked_until = now() where bucket like ${prefix}`.execute(stack.db)
  const minutes = rows[0]?.minutes
  if (minutes === undefined) return ['request budget: the account is not blocked']
  return minutes > 60 ? [`it would be blocked for ${Math.round(minutes)} minutes`] : []
}

/** The worker is running, and the integration works. */
export async function stillRunning({ stack, integrationId, adapter }: Listed): Promise<string[]> {
  const ended = await Promise.all(
    stack.workers.map(({ exited }) => Promise.race([exited.then(() => true), pause(10).then(() => false)])),
  )
  const status = async () => (await stack.call('GET', `/integrations/${integrationId}`)).body.status
  const restored = await until('the integration works', status, {
    holds: (found) => found === 'SUCCESSFUL',
    timeoutMs: 60_000,
  }).catch(() => null)
  return [
    ...(ended.some(Boolean) ? ['the worker ended'] : []),
    ...(restored ? [] : [`the integration of ${adapter} did not recover`]),
  ]
}

/** Connects a PSP's own account. */
export async function connectListed(
  stack: Stack,
  adapter: AdapterName,
  running: RunningSimulator,
  door: FaultProxy,
): Promise<Listed> {
  const { definition } = simulated(adapter)
  const integrationId = await stack.connectStripe({
    source: adapter,
    secretType: definition.secretType,
    secretPayload: definition.homeSecretPayload ?? definition.secretPayload,
    externalIdentifier: definition.profile.homeAccount,
  })
  return { stack, adapter, running, door, integrationId }
}
