import { sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount } from '../../../../db/merchants/accounts.ts'
import { disableEndpoint } from '../../../../db/webhooks/endpoint-changes.ts'
import { addChargeback, addIntegration, type Place, stageWithIntegration } from '../chargebacks/chargeback-rows.ts'
import type { Stage } from '../stage.ts'

interface Entry {
  when: string
  by: string
  credentialId?: string
  credentialName?: string
  what: string
  subject: string
  subjectId: string
  after?: Record<string, unknown>
}

let stage: Stage
let at: Place
let jana: { token: string; credentialId: string }
let chargeback: string
let endpoint: string
beforeAll(async () => {
  ;({ stage, at } = await stageWithIntegration())
  const { accountId, merchantUuid, db } = stage
  jana = await stage.issue({ accountId, scope: 'merchant', merchantUuid, name: 'Jana' })
  const as = { token: jana.token }
  chargeback = await addChargeback(db, at)
  // A change by the PSP, and one by the operator.
  for (const source of ['stripe', 'operator'])
    await db
      .insertInto('timeline_event')
      .values({ merchant_uuid: merchantUuid, chargeback_id: chargeback, source, what: `changed by ${source}` })
      .execute()
  const path = `/v1/integrations/${at.integrationId}`
  await stage.call('PATCH', `/v1/chargebacks/${chargeback}/should-fight`, { body: { shouldFight: true }, ...as })
  await stage.call('PATCH', path, { body: { integrationName: 'Kim Canary' }, ...as })
  await stage.call('POST', `${path}/pause`, as)
  await stage.call('PUT', `${path}/scope-settings`, { body: { cardSchemes: ['amex'] }, ...as })
  await stage.call('PATCH', '/v1/settings', { body: { automaticSubmission: { mode: 'auto' } }, ...as })
  const deactivation = { deactivationType: 'due_date', deactivationDate: '2999-01-01T00:00:00.000Z' }
  await stage.call('DELETE', '/v1/merchants', { body: deactivation, ...as })
  const made = await stage.call('POST', '/v1/webhook-endpoints', {
    body: { url: 'http://127.0.0.1:59999/secret-path', events: ['*'] },
    ...as,
  })
  endpoint = made.body.id
  await disableEndpoint(db, { endpointId: endpoint, actor: 'olga', reason: 'requested' })
  await disableEndpoint(db, { endpointId: endpoint, actor: 'delivery', reason: 'gone' })
  await db
    .insertInto('secret_rotation')
    .values({
      ...{ rotation_id: uuidv7(), integration_id: at.integrationId, credential_id: jana.credentialId },
      ...{ secret_type: 'APIKEY_ONLY', expires_at: new Date(), ended_at: sql<Date>`now()`, outcome: 'refused' },
      ...{ code: 'secret_refused', reason: 'No.' },
    })
    .execute()
})
afterAll(() => stage[Symbol.asyncDispose]())

const audit = async (query = '', options = {}) =>
  (await stage.call('GET', `/v1/audit?limit=100${query}`, options)).body.data as Entry[]
const words = (entries: Entry[]) => entries.map(({ what, by }) => `${by}: ${what}`)

const ALL = [
  'client: new secret refused',
  'operator: endpoint disabled',
  'client: endpoint created',
  'client: merchant deactivation requested',
  'client: automatic submission changed',
  'client: out-of-scope rules saved',
  'client: polls paused',
  'client: integration renamed',
  'client: should-fight decided',
  'operator: changed by operator',
]

describe('GET /audit', () => {
  it('merges what people did about chargebacks and settings, newest first, without what PSPs changed', async () => {
    const entries = await audit()
    expect(words(entries)).toEqual(ALL)
    const times = entries.map(({ when }) => when)
    expect(times).toEqual([...times].sort().reverse())
    for (const { by, credentialId, credentialName } of entries)
      expect([credentialId, credentialName]).toEqual(
        by === 'client' ? [jana.credentialId, 'Jana'] : [undefined, undefined],
      )
    expect(entries.find(({ what }) => what === 'out-of-scope rules saved')).toMatchObject({
      ...{ subject: 'integration', subjectId: at.integrationId, after: { cardSchemes: ['amex'] } },
    })
    expect(entries.find(({ what }) => what === 'merchant deactivation requested')).toMatchObject({
      ...{ subject: 'merchant', subjectId: at.merchantUuid },
      after: { deactivationType: 'due_date', deactivationDate: '2999-01-01T00:00:00.000Z' },
    })
    // Neither a path that may hold a secret, nor a name that a person gave, nor the operator's.
    expect(JSON.stringify(entries)).not.toMatch(/secret-path|Canary|olga/)
  })

  it('is filtered by kind, credential and time', async () => {
    expect(words(await audit('&subject=chargeback'))).toEqual([ALL[8], ALL[9]])
    expect(words(await audit('&subject=webhook_endpoint'))).toEqual([ALL[1], ALL[2]])
    expect(words(await audit('&subject=merchant'))).toEqual([ALL[3], ALL[4]])
    expect(words(await audit('&subject=integration'))).toEqual([ALL[0], ALL[5], ALL[6], ALL[7]])
    expect(words(await audit(`&credential=${jana.credentialId}`))).toEqual(
      ALL.filter((one) => one.startsWith('client')),
    )
    expect(await audit(`&credential=${stage.credentialId}`)).toEqual([])
    const [newest] = await audit()
    expect(words(await audit(`&since=${newest?.when}`))).toContain(ALL[0])
    expect(await audit('&since=2099-01-01T00:00:00Z')).toEqual([])
  })

  it('is read to the end by cursors, also where many entries have one time', async () => {
    const when = new Date('2020-01-01T00:00:00Z')
    const more = await addChargeback(stage.db, at)
    const rows = Array.from({ length: 25 }, (_, n) => ({
      ...{ merchant_uuid: at.merchantUuid, chargeback_id: more, source: 'api', what: `act ${n}`, when },
    }))
    await stage.db.insertInto('timeline_event').values(rows).execute()
    const seen: string[] = []
    let cursor = ''
    for (let page = 0; page < 10; page++) {
      const { body } = await stage.call('GET', `/v1/audit?limit=10${cursor}`)
      seen.push(...words(body.data))
      if (!body.hasMore) break
      cursor = `&cursor=${encodeURIComponent(body.nextCursor)}`
    }
    expect(seen).toHaveLength(ALL.length + 25)
    expect(new Set(seen).size).toBe(ALL.length + 25)
    const refused = await stage.call('GET', `/v1/audit?subject=merchant${cursor}`)
    expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_cursor' } })
  })

  it('has nothing of another merchant, nor of another account', async () => {
    const { merchantUuid } = await stage.newMerchant(stage.accountId, 'other-shop')
    const { token } = await stage.issue({ accountId: stage.accountId, scope: 'merchant', merchantUuid })
    expect(await audit('', { token })).toEqual([])
    const { accountId } = await createAccount(stage.db, { name: 'Other' })
    const far = await stage.newMerchant(accountId)
    await addIntegration(stage.db, stage.ring, far.merchantUuid)
    expect(await audit('', await stage.issue({ accountId, scope: 'account' }))).toEqual([])
  })
})
