import { setTimeout as sleep } from 'node:timers/promises'
import { adapters } from '../../adapters/registry.ts'
import { Refusal } from '../../db/core/refusal.ts'
import { endOfLog, readEvents } from '../../db/events/log.ts'
import { operatedIntegrations } from '../../db/integrations/integration-operations.ts'
import { EVENT_TYPES, type EventType } from '../../domain/events/catalogue.ts'
import { type EventBody, eventLine } from '../../domain/events/event-line.ts'
import type { Source } from '../../domain/integration.ts'
import { renderEvents } from '../../webhooks/render.ts'
import { act } from '../acting.ts'
import { type Command, type CommandContext, oneOf, UsageError, wholeNumber } from '../command.ts'
import { openSimulator, type SimulatedDispute, type Simulator } from './control.ts'

interface Trigger {
  /** Status and due date of the new dispute. */
  order: { status: string; dueInHours?: number }
  /** What the PSP does once Recoup has the chargeback; absent: the event follows by itself. */
  afterwards?(simulator: Simulator, dispute: SimulatedDispute): Promise<void>
}

const OPEN = { status: 'needs_response', dueInHours: 240 }
const decided = (outcome: 'won' | 'lost' | 'split'): Trigger => ({
  order: OPEN,
  afterwards: (simulator, dispute) => simulator.decide(dispute, outcome),
})

/** Events that follow from something that a PSP does. Each has a dispute of its own. */
const TRIGGERS: Partial<Record<EventType, Trigger>> = {
  'chargeback.created': { order: OPEN },
  'chargeback.updated': { order: OPEN, afterwards: (simulator, dispute) => simulator.moveDueDate(dispute, 300) },
  'chargeback.due_soon': { order: { status: 'needs_response', dueInHours: 71 } },
  'chargeback.won': decided('won'),
  'chargeback.lost': decided('lost'),
  'chargeback.split': decided('split'),
  'chargeback.reopened': {
    order: { status: 'lost' },
    afterwards: (simulator, dispute) => simulator.decide(dispute, 'reopened'),
  },
}
export const TRIGGERED = Object.keys(TRIGGERS) as EventType[]

const SOURCES = adapters().map(({ source }) => source)
/** Can do everything that the others can. */
const DEFAULT_PSP: Source = 'recoup_sandbox'
/** Seconds; due dates are looked at once a minute. */
const WAIT = { default: 120, most: 600 }
const EVERY_MS = 200

/** Has a simulated PSP do something, waits for the event and prints it. */
export const trigger: Command = {
  summary: 'have a simulated PSP cause an event; sandbox only',
  argument: 'event',
  options: {
    'psp?': `${SOURCES.join(' | ')}; ${DEFAULT_PSP} by default`,
    'psp-account?': 'account at the PSP; that of the demo by default',
    'control?': 'address of the simulated PSPs; those of `npm start` by default',
    'wait?': `seconds until the event must have come; ${WAIT.default} by default`,
  },
  changes: { reason: 'optional' },
  async run(context) {
    const { given, db } = context
    const type = given.event as EventType
    const { order, afterwards } = triggerOf(type)
    const source = given.psp === undefined ? DEFAULT_PSP : oneOf(context, 'psp', SOURCES)
    const wait = wholeNumber('wait', given.wait ?? String(WAIT.default), WAIT.most)
    const simulator = await openSimulator(context, source)
    const account = given['psp-account'] ?? simulator.homeAccount
    const merchantUuid = await merchantOf(context, source, account)
    const after = await endOfLog(db)
    const deadline = Date.now() + wait * 1000
    const dispute = await act(
      context,
      () => simulator.create({ account, ...order }),
      ({ ref }) => ({ subject: ref, details: { event: type, psp: source, account } }),
    )
    const expected = { merchantUuid, dispute, after, deadline }
    if (afterwards) {
      await print(context, { ...expected, type: 'chargeback.created' })
      await afterwards(simulator, dispute)
    }
    await print(context, { ...expected, type })
    return null
  },
}

function triggerOf(type: EventType): Trigger {
  const found = TRIGGERS[type]
  if (found) return found
  const isKnown = EVENT_TYPES.includes(type)
  const why = isKnown ? 'does not follow from something that a PSP does' : 'is no event'
  throw new UsageError(`"${type}" ${why}. Possible: ${TRIGGERED.join(', ')}`)
}

/** @throws Refusal when Recoup does not read that account */
async function merchantOf({ db }: CommandContext, source: Source, account: string): Promise<string> {
  const found = (await operatedIntegrations(db, {})).find(
    (one) =>
      one.source === source &&
      one.status === 'SUCCESSFUL' &&
      [one.pspAccount, one.externalIdentifier].includes(account),
  )
  if (!found)
    throw new Refusal(
      'invalid',
      'not_connected',
      `No integration reads ${account} of ${source}. Connect it first, or name another account with --psp-account.`,
    )
  return found.merchantUuid
}

interface Expected {
  type: EventType
  merchantUuid: string
  dispute: SimulatedDispute
  /** Position in the log. */
  after: bigint
  /** ms since 1970. */
  deadline: number
}

/** Prints the event of the dispute when it is in the log. @throws Refusal when it does not come in time */
async function print(
  context: CommandContext,
  { type, merchantUuid, dispute, after, deadline }: Expected,
): Promise<void> {
  const { db, json, print: write } = context
  let from = after
  while (Date.now() < deadline) {
    const { events, next, hasMore } = await readEvents(db, { merchantUuid, types: [type], after: from, limit: 100 })
    from = next
    for (const body of await renderEvents(db, merchantUuid, events)) {
      const event = body === null ? null : (JSON.parse(body) as EventBody & { data: { chargeback?: ChargebackOf } })
      if (event?.data.chargeback?.chargebackId === dispute.ref) return write(json ? (body as string) : eventLine(event))
    }
    if (!hasMore) await sleep(EVERY_MS)
  }
  throw new Refusal(
    'invalid',
    'event_pending',
    `${type} of ${dispute.ref} has not come yet. Check that a worker runs; \`recoup listen\` prints it when it comes.`,
  )
}

interface ChargebackOf {
  chargebackId: string
}
