import type { Subject } from '../../adapters/conformance/subject.ts'
import type { Source } from '../../domain/integration.ts'
import type { DisputeRecord } from '../../simulators/engine/contract.ts'
import type { DisputeEngine } from '../../simulators/engine/engine.ts'
import type { Match } from '../../simulators/engine/match.ts'
import { sendNotifications } from '../../simulators/engine/notify.ts'
import { always, type Command, command, refOf, withDispute } from './command.ts'
import type { Arrival, Pace } from './notifications.ts'

/** Events at PSPs, and faults between Recoup and the PSPs. */

export const MAX_DISPUTES = 3

export function opening(of: { stage: string; dueInHours: number }): Command {
  const name = `open in ${of.stage}, due in ${of.dueInHours} h`
  return command(
    name,
    ({ disputes }) => disputes < MAX_DISPUTES,
    async (life) => {
      life.open(of)
      return life.poll()
    },
  )
}

export type Decision = 'won' | 'lost' | 'reopened' | 'under_review'

/** The issuer or the PSP decides, or a human contests in the PSP's dashboard. */
export const deciding = ({ which, outcome }: { which: number; outcome: Decision }): Command =>
  command(`PSP: ${which} is ${outcome}`, withDispute, async (life) => {
    const { engine } = life.world
    const { profile } = engine
    engine.applyDue()
    const record = engine.find(refOf(life, which))
    if (!record) return 'unknown'
    if (outcome === 'under_review') {
      // A closed dispute can't be contested: it was accepted or decided before.
      if (!profile.situations.some(({ word, open }) => word === record.word && open)) return 'not possible'
      const word = profile.situations.find(({ status }) => status === outcome)?.word
      if (!word) return 'not possible'
      life.memory.answered.add(record.reference)
      engine.change(record, (dispute) => profile.setStatus(dispute, word))
      return 'done'
    }
    if (profile.decide(engine.read(record), outcome, engine.now()) !== null) return 'not possible'
    if (outcome === 'reopened') record.round += 1
    // An accepted dispute is closed: there is nothing to decide until it is reopened.
    else if (isAccepted(engine, record)) return 'not possible'
    engine.setPending(record, null)
    engine.change(record, (dispute) => void profile.decide(dispute, outcome, engine.now()))
    return 'done'
  })

function isAccepted({ ledger }: DisputeEngine, { reference, round }: DisputeRecord): boolean {
  return ledger.effects.some((one) => one.kind === 'acceptance' && one.ref === reference && one.round === round)
}

export const notifying = (which: number): Command =>
  command(`notification about ${which}`, withDispute, async (life) => {
    const { engine, mail, notificationUrl: url } = life.world
    if (mail) return mail.newest(refOf(life, which))
    const order = { url, account: engine.profile.homeAccount, ref: refOf(life, which), count: 1 }
    const sent = await sendNotifications(engine, order)
    if (life.world.temporal.pollAsked) await life.poll()
    return sent.map(({ status }) => status).join(' ')
  })

export const WRITE_FAULTS = [
  ...['reset_after_apply', 'timeout_after_apply', '500_after_apply', '500_stored', '500', '429', 'malformed', 'empty'],
  ...['409', 'reset', 'timeout', '503_empty', '200_html', '403'],
] as const
export const READ_FAULTS = ['500', 'timeout', 'malformed', '429', '200_html'] as const

/** Requests that write, at PSPs where the method does not show it; the request that ends a submission is the last. */
const WRITES: Partial<Record<Source, readonly Match[]>> = {
  braintree: [{ method: 'POST', path: '/document_uploads' }, { method: 'POST', path: '/evidence' }, { method: 'PUT' }],
  adyen: ['acceptDispute', 'supplyDefenseDocument', 'defendDispute'].map((path) => ({ method: 'POST', path })),
}

export const writesOf = ({ simulator, writePath: path, writeMethod: method = 'POST' }: Subject): readonly Match[] =>
  WRITES[simulator.source] ?? [{ method, path }]

/** Requests that read: some PSPs list by POST, and Adyen only returns defense reasons. */
export function readsOf({ simulator, listPath }: Subject): readonly Match[] {
  const list: Match = { method: 'POST', path: listPath }
  if (simulator.source === 'adyen') return [list]
  return simulator.source === 'braintree' ? [{ method: 'GET' }, list] : [{ method: 'GET' }]
}

/** `after`: so many writes succeed before, so that a document is uploaded when the submission fails. */
export function faulting(of: {
  kind: (typeof WRITE_FAULTS)[number]
  times: number
  after: number
  match: Match
}): Command {
  const { kind, times, after, match } = of
  return command(`${times} writes${toWords(match)}: ${kind}, after ${after}`, withDispute, async ({ world }) => {
    const { faults } = world.engine
    if (after > 0) faults.arm({ kind: 'unlabelled', left: after, match, retryAfter: undefined, delayMs: 0 })
    faults.arm({ kind, left: times, match, retryAfter: '7', delayMs: 0 })
    return 'armed'
  })
}

export const faultingReads = ({ kind, match }: { kind: (typeof READ_FAULTS)[number]; match: Match }): Command =>
  command(`next read${toWords(match)}: ${kind}`, withDispute, async ({ world }) => {
    world.engine.faults.arm({ kind, left: 1, match, retryAfter: '7', delayMs: 0 })
    return 'armed'
  })

const toWords = ({ path }: Match) => (path === undefined ? '' : ` to ${path.split('/').at(-1)}`)

/** From now on notifications arrive at once, soon, or only on request. */
export const pacing = (pace: Pace): Command =>
  command(`notifications come ${pace}`, always, async ({ world }) => {
    if (world.mail) world.mail.pace = pace
    return 'done'
  })

export const arriving = (how: Arrival): Command =>
  command(`notifications arrive ${how}`, withDispute, async ({ world }) => String(await world.mail?.arrive(how)))

const MINUTE_MS = 60_000

export const passing = (minutes: number): Command =>
  command(`${minutes} minutes pass`, always, async ({ world }) => {
    await world.clock.pass(minutes * MINUTE_MS)
    world.engine.applyDue()
    return 'done'
  })
