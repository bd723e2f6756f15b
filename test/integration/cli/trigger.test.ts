import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sequencerLag } from '../../../db/events/fresh-rows.ts'
import { type RunningSimulator, startSimulator } from '../../../simulators/engine/serve.ts'
import { stripeSimulator } from '../../../simulators/stripe/index.ts'
import { sequence } from '../../../webhooks/sequence.ts'
import { until } from '../../harness/until.ts'
import { addChargeback, addIntegration, type Place } from '../api/chargebacks/chargeback-rows.ts'
import { createStage, type Stage } from '../api/stage.ts'
import { operatorsOf } from './audit-fixture.ts'

const account = stripeSimulator.profile.homeAccount
const folder = mkdtempSync(join(tmpdir(), 'recoup-trigger-'))

let stage: Stage
let at: Place
let simulator: RunningSimulator
let recoup: ReturnType<typeof operatorsOf>['recoup']
let json: ReturnType<typeof operatorsOf>['json']
beforeAll(async () => {
  stage = await createStage()
  const { db, ring, merchantUuid } = stage
  at = { merchantUuid, integrationId: await addIntegration(db, ring, merchantUuid, { externalIdentifier: account }) }
  simulator = await startSimulator(stripeSimulator)
  ;({ recoup, json } = operatorsOf(stage))
})
afterAll(async () => {
  await simulator[Symbol.asyncDispose]()
  await stage[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true })
})

/** What `npm start` writes when it simulates Stripe, or not. */
function runningStack(simulators: object): Record<string, string> {
  writeFileSync(join(folder, 'stack.json'), JSON.stringify({ databaseUrl: stage.database.url, simulators }))
  return { RECOUP_DATA_FOLDER: folder }
}
const simulated = () => runningStack({ stripe: { controlUrl: simulator.controlUrl } })
const disputes = async () =>
  ((await (await fetch(`${simulator.controlUrl}/disputes`)).json()) as { disputes: { ref: string }[] }).disputes
/** In place of a worker that reads Stripe. */
async function write(what: string, id: string, before: object | null, after: object): Promise<void> {
  const row = { merchant_uuid: at.merchantUuid, chargeback_id: id, source: 'stripe', what }
  const values = { ...row, before: before && JSON.stringify(before), after: JSON.stringify(after) }
  await stage.db.insertInto('timeline_event').values(values).execute()
  await until('it is sequenced', async () => {
    await sequence(stage.db)
    return (await sequencerLag(stage.db)) === 0
  })
}

test('has the PSP open a dispute and decide it, and prints both events when they come', async () => {
  const running = recoup(['trigger', 'chargeback.lost', '--psp', 'stripe'], simulated())
  const [{ ref }] = (await until('the dispute exists', async () => {
    const all = await disputes()
    return all.length > 0 && all
  })) as [{ ref: string }]
  const id = await addChargeback(stage.db, at, { chargeback_id: ref })
  // One of another dispute is not printed.
  await write('ingested', await addChargeback(stage.db, at), null, {})
  await write('ingested', id, null, {})
  await until('the bank has decided', async () => {
    const response = await fetch(`${simulator.controlUrl}/disputes/${ref}`)
    return ((await response.json()) as { status: string }).status === 'lost'
  })
  await write('pspStatus changed', id, { pspStatus: 'needs_response' }, { pspStatus: 'lost' })
  const { code, out, err } = await running
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(out).toMatch(new RegExp(`^\\S+ \\S+ {2}chargeback\\.created .*${ref}.*chargeback\\.lost .*${ref}`))
})

test('is recorded with operator, the dispute and the event', async () => {
  const words = ['trigger', 'chargeback.created', '--psp', 'stripe', '--wait', '1', '--reason', 'To see it arrive.']
  await recoup(words, simulated())
  const [record] = await json('audit', 'list', '--action', 'trigger', '--limit', '1')
  const [newest] = (await disputes()).slice(-1)
  expect(record).toMatchObject({
    ...{ operator: 'alice', outcome: 'done', subject: newest?.ref, reason: 'To see it arrive.' },
    details: { event: 'chargeback.created', psp: 'stripe', account },
  })
})

test('says so when the event does not come in time', async () => {
  const { code, err } = await recoup(['trigger', 'chargeback.created', '--psp', 'stripe', '--wait', '1'], simulated())
  expect({ code, err }).toEqual({
    code: 1,
    err: expect.stringMatching(/^chargeback\.created of du_\w+ has not come yet/),
  })
})

test('uses the simulated PSPs at --control', async () => {
  const control = simulator.controlUrl
  const { err } = await recoup(['trigger', 'chargeback.created', '--psp', 'stripe', '--control', control])
  // Compose serves each PSP under its name; this simulator has none.
  expect(err).toContain('The simulated PSP refused: no such control: GET /stripe')
})

const CREATED = ['trigger', 'chargeback.created', '--psp', 'stripe']
test.each([
  [
    'a word that is no event',
    ['trigger', 'chargeback.lots'],
    simulated,
    '"chargeback.lots" is no event. Possible: chargeback.created',
  ],
  [
    'an event that clients cause',
    ['trigger', 'acceptance.created'],
    simulated,
    'does not follow from something that a PSP does',
  ],
  ['an unknown PSP', ['trigger', 'chargeback.won', '--psp', 'square'], simulated, '--psp must be one of'],
  ['a real PSP', CREATED, () => runningStack({}), 'stripe is a real PSP here: nothing can be triggered'],
  [
    'no stack and no --control',
    CREATED,
    () => ({ RECOUP_DATA_FOLDER: tmpdir() }),
    'Give the address of the simulated PSPs by --control',
  ],
  ['an address that is none', [...CREATED, '--control', 'localhost'], simulated, '--control must be an address'],
  [
    'a simulator that does not respond',
    [...CREATED, '--control', 'http://127.0.0.1:9'],
    simulated,
    'No simulated PSP responds at',
  ],
  [
    'an account that Recoup does not read',
    [...CREATED, '--psp-account', 'acct_other'],
    simulated,
    'No integration reads acct_other',
  ],
  [
    'production',
    CREATED,
    () => ({ ...simulated(), RECOUP_ENVIRONMENT: 'production' }),
    /real in production|belongs to the environment sandbox/,
  ],
])('refuses %s, and no dispute is opened', async (_, words, env, message) => {
  const before = await disputes()
  const { code, out, err } = await recoup(words, env())
  expect([code, out]).toEqual([expect.toSatisfy((exit) => exit === 1 || exit === 2), ''])
  expect(err).toMatch(
    message instanceof RegExp ? message : new RegExp(message.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')),
  )
  expect(await disputes()).toEqual(before)
})
