import { setTimeout as pause } from 'node:timers/promises'
import { createDisputes } from '../../../simulators/engine/create.ts'
import { type History, type HistoryRequest, openHistory } from '../history.ts'
import type { CommandKind } from '../steps.ts'
import { type Client, requestUntilDefinite, send } from '../testbed/clients.ts'
import type { Connected } from '../testbed/connected.ts'
import { prepareFile } from '../testbed/documents.ts'
import type { Dispute, Testbed } from '../testbed/prepare.ts'
import { inTime, patiently } from './patience.ts'

/** Mean interval between new disputes, ms. */
const BORN_EVERY_MS = 2_000
const RIVAL_MS = 3_000

/** One dispute, from its creation at the PSP to the end of its one command. */
export interface Life {
  dispute: Dispute
  command: CommandKind
  history: History
  clients: Client[]
  /** Whether a client has read that the command has ended. */
  ended: boolean
}

export interface Lives {
  all: readonly Life[]
  /** Violations so far. */
  sentences: readonly string[]
  /** Creates no more; resolves when all have ended or are stuck. */
  end(): Promise<void>
}

/**
 * Creates disputes at random accounts. Their clients find them, accept or contest them, and read until the command has
 * ended; the PSP decides half of the contested ones. For a third of the disputes a second client sends the same
 * request.
 */
export function beginLives(testbed: Testbed, accounts: readonly Connected[], chance: () => number): Lives {
  const all: Life[] = []
  const sentences: string[] = []
  const living = new Set<Promise<void>>()
  let over = false
  const creating = (async () => {
    for (; !over; await pause(BORN_EVERY_MS * 2 * chance())) {
      const connected = accounts[Math.floor(chance() * accounts.length)] as Connected
      const life = live(testbed, connected, chance, all).catch((error) => void sentences.push((error as Error).message))
      living.add(life)
      void life.then(() => living.delete(life))
    }
  })()
  return {
    all,
    sentences,
    async end() {
      over = true
      await creating
      await Promise.all(living)
    },
  }
}

/** @throws a violation if it gets stuck */
async function live(
  testbed: Testbed,
  { adapter, account }: Connected,
  chance: () => number,
  all: Life[],
): Promise<void> {
  const engine = testbed.engines[adapter]
  const wanted = { status: 'needs_response', stage: 'chargeback', reason: '10.4', dueInHours: 200 }
  const [record] = createDisputes(engine, { ...wanted, count: 1, account })
  if (!record) throw new Error(`${adapter} created no dispute`)
  const { reference } = record
  const chargebackId = await patiently(`I1: ${adapter} ${reference} is not stored`, () =>
    idOf(testbed, account, reference),
  ).catch(async (error: Error) => {
    throw new Error(`${error.message}: ${await pollOf(testbed, account)}`)
  })
  const dispute: Dispute = { adapter, reference, chargebackId, twoDocuments: false }
  const command = chance() < 0.5 ? 'acceptance' : 'submission'
  const request: HistoryRequest =
    command === 'acceptance'
      ? { kind: 'accept' }
      : { kind: 'submit', fileId: await patiently(`no file for ${reference}`, () => prepareFile(testbed, dispute)) }
  const life: Life = { dispute, command, history: openHistory(), clients: [], ended: false }
  all.push(life)
  const ask = (name: string) => {
    const client = requestUntilDefinite(testbed, dispute, request, { history: life.history, name })
    life.clients.push(client)
    const what = `${command} of ${chargebackId} at ${adapter}`
    return inTime(`I3: the ${name} got no response: ${what}`, client.done).finally(client.stop)
  }
  const rival = chance() < 1 / 3 ? pause(chance() * RIVAL_MS).then(() => ask('rival')) : Promise.resolve()
  await Promise.all([ask('client'), rival])
  await patiently(`I3: ${command} of ${chargebackId} at ${adapter} has not ended`, () => hasEnded(testbed, life))
  life.ended = true
  if (command === 'submission' && chance() < 0.5)
    engine.change(record, (object) => void engine.profile.decide(object, chance() < 0.5 ? 'won' : 'lost', engine.now()))
}

async function idOf({ stack }: Testbed, account: string, reference: string): Promise<string | null> {
  const row = await stack.db
    .selectFrom('chargeback as c')
    .innerJoin('integration as i', 'i.integration_id', 'c.integration_id')
    .select('c.id')
    .where('i.external_identifier', '=', account)
    .where('c.chargeback_id', '=', reference)
    .executeTakeFirst()
  return row?.id ?? null
}

/** The state of the poll, as an operator sees it. */
async function pollOf({ stack }: Testbed, account: string): Promise<string> {
  const row = await stack.db
    .selectFrom('integration')
    .select(['polled_at', 'last_successful_poll_at', 'poll_error', 'lease_owner', 'lease_until', 'notification_at'])
    .where('external_identifier', '=', account)
    .executeTakeFirst()
  return JSON.stringify(row)
}

/** Reads as its client does; also the chargeback, for the linearizability checker. */
async function hasEnded(testbed: Testbed, { dispute, command, history }: Life): Promise<true | null> {
  const read = (request: HistoryRequest) =>
    history.record('client', request, () => send(testbed, dispute.chargebackId, request))
  const submitted = history.operations.find(
    ({ request, response }) => request.kind === 'submit' && response?.status === 201,
  )
  const id = submitted?.response?.id ?? ''
  const response = await read(command === 'acceptance' ? { kind: 'read_acceptance' } : { kind: 'read_submission', id })
  await read({ kind: 'read_chargeback' })
  return response?.state === 'succeeded' || response?.state === 'failed' ? true : null
}
