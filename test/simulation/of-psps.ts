import type { Subject } from '../../adapters/conformance/subject.ts'
import { sendNotifications } from '../../adapters/simulator/notify.ts'
import { always, type Command, command, refOf, withDispute } from './command.ts'

/** What happens at PSPs, and on the way to them. */

export const MOST_DISPUTES = 3

export function opening(of: { stage: string; dueInHours: number }): Command {
  const name = `open in ${of.stage}, due in ${of.dueInHours} h`
  return command(
    name,
    ({ disputes }) => disputes < MOST_DISPUTES,
    async (life) => {
      life.open(of)
      return life.poll()
    },
  )
}

export type Decision = 'won' | 'lost' | 'reopened' | 'under_review'

/** The issuer or the PSP decides, or somebody answers in the PSP's dashboard. */
export const deciding = ({ which, outcome }: { which: number; outcome: Decision }): Command =>
  command(`PSP: ${which} is ${outcome}`, withDispute, async (life) => {
    const { engine } = life.world
    const { profile } = engine
    engine.settle()
    const record = engine.find(refOf(life, which))
    if (!record) return 'gone'
    if (outcome === 'under_review') {
      const word = profile.situations.find(({ status }) => status === outcome)?.word
      if (!word) return 'not possible'
      engine.change(record, (dispute) => profile.setStatus(dispute, word))
      return 'done'
    }
    if (profile.decide(engine.read(record), outcome, engine.now()) !== null) return 'not possible'
    if (outcome === 'reopened') record.round += 1
    engine.setPending(record, null)
    engine.change(record, (dispute) => void profile.decide(dispute, outcome, engine.now()))
    return 'done'
  })

export const notifying = (which: number): Command =>
  command(`notification about ${which}`, withDispute, async (life) => {
    const { engine, notificationUrl: url } = life.world
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

/** `after`: so many writes go well before: a document is there when the submission fails. */
export function faulting(
  subject: Subject,
  { kind, times, after }: { kind: (typeof WRITE_FAULTS)[number]; times: number; after: number },
): Command {
  return command(`${times} writes: ${kind}, after ${after}`, withDispute, async ({ world }) => {
    const { faults } = world.engine
    const match = { method: subject.writeMethod ?? 'POST', path: subject.writePath }
    if (after > 0) faults.arm({ kind: 'unlabelled', left: after, match, retryAfter: undefined, delayMs: 0 })
    faults.arm({ kind, left: times, match, retryAfter: '7', delayMs: 0 })
    return 'armed'
  })
}

export const faultingReads = (kind: (typeof READ_FAULTS)[number]): Command =>
  command(`next read: ${kind}`, withDispute, async ({ world }) => {
    world.engine.faults.arm({ kind, left: 1, match: { method: 'GET' }, retryAfter: '7', delayMs: 0 })
    return 'armed'
  })

const MINUTE_MS = 60_000

export const passing = (minutes: number): Command =>
  command(`${minutes} minutes pass`, always, async ({ world }) => {
    await world.clock.pass(minutes * MINUTE_MS)
    world.engine.settle()
    return 'done'
  })
