import { setTimeout as pause } from 'node:timers/promises'
import { removeMessage } from '../../../db/core/outbox.ts'
import { createIntegration } from '../../../db/integrations/integrations.ts'
import { copyOf } from '../../harness/copies.ts'
import { allEnded, checkEnd } from '../ends.ts'
import type { CommandKind } from '../steps.ts'
import type { Connected } from '../testbed/connected.ts'
import { documentOf, hashOfBytes } from '../testbed/documents.ts'
import type { FaultAction, Wrong } from '../testbed/fault-action.ts'
import type { Dispute, Testbed } from '../testbed/prepare.ts'
import { simulated } from '../testbed/psps.ts'
import { subscribe, unsubscribe } from './again.ts'
import { OTHER_NAMES } from './second.ts'
import { askAs, learnsNothing, newStranger, ownParty, type Party, uploadAs } from './strangers.ts'

/** Time for the other requests before held work is released. */
const HELD_MS = 2_500
const TIMEOUT_MS = 60_000

/** A second chargeback of the same dispute, from an earlier connection of the account. */
interface Twin {
  of: Dispute
  chargebackId: string
  party: Party
  integrationId: string
  /** A document that must never be sent with the first chargeback's. */
  fileId: string
  sha256: string
}

/**
 * Disputes are stored twice, as in old databases: by another merchant, or by a second integration of the same one.
 * While the command of the first chargeback is at its step, the second one is accepted and contested; other disputes
 * are accepted and contested through both at the same time. One request is accepted, and no other document reaches the
 * PSP.
 */
export const contestDuplicates: FaultAction = async (testbed, { release, about, disputes, free, chance }) => {
  const stranger = await newStranger(testbed)
  const own = ownParty(testbed)
  const wanted = about.flatMap((one) =>
    [stranger, ...(OTHER_NAMES[one.adapter] ? [own] : [])].map((party) => ({ one, party })),
  )
  const places = await Promise.all(wanted.map(({ one, party }) => connectedBefore(testbed, one, party)))
  const twinOf = async (dispute: Dispute): Promise<Twin> => {
    const there = places.filter(({ connected }) => connected.adapter === dispute.adapter)
    return storeTwin(testbed, dispute, there[Math.floor(chance() * there.length)] as Place, chance)
  }
  // One after the other: the API accepts few uploads at once.
  const twins: Twin[] = []
  for (const dispute of disputes) twins.push(await twinOf(dispute))
  const asking = Promise.all(twins.map((twin) => requestBoth(testbed, twin)))
  await Promise.race([asking, pause(HELD_MS)])
  const raced: Race[] = []
  for (const dispute of free) raced.push({ dispute, twin: await twinOf(dispute), first: chance() < 0.5 })
  await release()
  const responses = await asking
  const races = await Promise.all(raced.map((race) => runRace(testbed, race)))
  return async () => {
    const wrong = races.flat()
    for (const [index, twin] of twins.entries()) {
      const { adapter, chargebackId } = twin.of
      const broken = (sentence: string) => void wrong.push({ adapter, chargebackId, sentence })
      for (const { status, code } of responses[index] ?? [])
        if (status !== 400 || code !== 'answered_elsewhere')
          broken(`I2: a request about the dispute's other chargeback got ${status} ${code}`)
      for (const sentence of await untouched(testbed, twin)) broken(sentence)
    }
    const integrationIds = places.filter(({ party }) => party === stranger).map(({ integrationId }) => integrationId)
    // The PSP's ids of these disputes are known to both.
    const strange = twins.filter(({ party }) => party === stranger).map(({ of }) => of)
    const learned = await learnsNothing(testbed, stranger, { integrationIds, disputes: strange, shared: true })
    await deactivateAll(testbed, places)
    return [...wrong, ...learned.map((sentence) => ({ adapter: null, sentence }))]
  }
}

interface Place {
  connected: Connected
  party: Party
  integrationId: string
}

/** An old connection: its account was never compared with others, and the duplicate is not discovered yet. */
async function connectedBefore(testbed: Testbed, connected: Connected, party: Party): Promise<Place> {
  const { db, ring } = testbed.stack
  const { adapter, account } = connected
  const own = party.merchantUuid === testbed.stack.merchantUuid
  const integrationId = await db.transaction().execute(async (trx) => {
    const created = await createIntegration(trx, ring, {
      merchantUuid: party.merchantUuid,
      source: adapter,
      integrationName: `${adapter} in earlier times`,
      externalIdentifier: (own && OTHER_NAMES[adapter]) || account,
      secretType: simulated(adapter).definition.secretType,
      secretPayload: testbed.keys.of(connected).payload,
    })
    await removeMessage(trx, created.outboxId)
    await trx
      .updateTable('integration')
      .set({ status: 'SUCCESSFUL', paused: true })
      .where('integration_id', '=', created.integrationId)
      .execute()
    return created.integrationId
  })
  testbed.others.add(integrationId)
  testbed.keys.replaced({ ...connected, integrationId }, testbed.keys.of(connected))
  if (adapter === 'adyen') await subscribe(testbed, { ...connected, integrationId })
  return { connected, party, integrationId }
}

/** Deactivates the integrations. */
async function deactivateAll(testbed: Testbed, places: readonly Place[]): Promise<void> {
  for (const { connected, integrationId } of places) {
    await testbed.stack.db
      .updateTable('integration')
      .set({ status: 'INACTIVE' })
      .where('integration_id', '=', integrationId)
      .execute()
    if (connected.adapter === 'adyen') await unsubscribe(testbed, { ...connected, integrationId })
  }
}

async function storeTwin(
  testbed: Testbed,
  of: Dispute,
  { party, integrationId }: Place,
  chance: () => number,
): Promise<Twin> {
  const { db } = testbed.stack
  const chargebackId = await copyOf(db, of.chargebackId, { merchantUuid: party.merchantUuid, integrationId })
  // The command of the first may have closed it since.
  const open = { psp_status: 'needs_response', status: 'waiting_for_data', ...(chance() < 0.3 && { psp_account: '?' }) }
  await db.updateTable('chargeback').set(open).where('id', '=', chargebackId).execute()
  const pdf = await documentOf({ ...of, reference: chargebackId })
  return {
    of,
    chargebackId,
    party,
    integrationId,
    fileId: await uploadAs(testbed, party, pdf),
    sha256: hashOfBytes(pdf),
  }
}

interface Result {
  status: number | null
  code: string | undefined
}

/** Accepts and contests it at the same time, until both have a definite response. */
const requestBoth = (testbed: Testbed, twin: Twin): Promise<Result[]> =>
  Promise.all((['acceptance', 'submission'] as const).map((kind) => ask(testbed, twin, kind)))

async function ask(
  testbed: Testbed,
  { party, chargebackId, fileId }: Pick<Twin, 'party' | 'chargebackId' | 'fileId'>,
  kind: CommandKind,
): Promise<Result> {
  const path = `/chargebacks/${chargebackId}${kind === 'acceptance' ? '/accept' : '/evidence/submit'}`
  for (const end = Date.now() + TIMEOUT_MS; ; await pause(200)) {
    const response = await askAs(testbed, party, kind === 'acceptance' ? ['POST', path] : ['POST', path, { fileId }])
    const { status } = response
    if (status !== null && status < 500) return { status, code: response.body?.code }
    if (Date.now() > end) return { status, code: response.body?.code }
  }
}

interface Race {
  dispute: Dispute
  twin: Twin
  /** true: the dispute's own chargeback is accepted, the twin contested; false: the other way round. */
  first: boolean
}

/** Accepts one chargeback of a dispute and contests the other at the same time. */
async function runRace(testbed: Testbed, { dispute, twin, first }: Race): Promise<Wrong[]> {
  const { adapter, chargebackId } = dispute
  const wrong: Wrong[] = []
  const broken = (sentence: string) => void wrong.push({ adapter, sentence: `${sentence} (raced)` })
  const own = { ...ownParty(testbed), chargebackId }
  const fileId = await uploadAs(testbed, own, await documentOf(dispute))
  const kinds: [CommandKind, CommandKind] = first ? ['acceptance', 'submission'] : ['submission', 'acceptance']
  const results = await Promise.all([
    ask(testbed, { party: own, chargebackId, fileId }, kinds[0]),
    ask(testbed, twin, kinds[1]),
  ])
  const accepted = results.filter(({ status }) => (status ?? 500) < 300)
  const refused = results.filter(({ status, code }) => status === 400 && code === 'answered_elsewhere')
  if (accepted.length !== 1 || refused.length !== 1)
    broken(
      `I2: requests about two chargebacks of one dispute got ${results.map(({ status, code }) => `${status} ${code ?? ''}`)}`,
    )
  const won = results.indexOf(accepted[0] as Result)
  const winner = { ...dispute, chargebackId: won === 1 ? twin.chargebackId : chargebackId }
  await allEnded(testbed, [winner], 90_000).catch(() => undefined)
  for (const sentence of await checkEnd(testbed, winner, kinds[Math.max(0, won)] as CommandKind)) broken(sentence)
  if (won === 0) for (const sentence of await untouched(testbed, twin)) broken(sentence)
  return wrong
}

/** Nothing was done for the second chargeback: no command, no effect, no document at the PSP. */
async function untouched({ stack: { db }, engines }: Testbed, { of, chargebackId, sha256 }: Twin): Promise<string[]> {
  const commands = await db.selectFrom('command').select('status').where('chargeback_id', '=', chargebackId).execute()
  const { effects } = engines[of.adapter].ledger
  const met = effects.some(({ details }) => JSON.stringify(details).includes(sha256))
  return [
    ...commands.map(({ status }) => `I2: the other chargeback has a command, which is ${status}`),
    ...(met ? ["I11: the other chargeback's document is at the PSP"] : []),
  ]
}
