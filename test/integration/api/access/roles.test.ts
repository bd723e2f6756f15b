import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ROLE_OF } from '../../../../api/auth/roles.ts'
import { CREDENTIAL_ROLES, type CredentialRole } from '../../../../domain/accounts/credential.ts'
import { document, operations } from '../../../interface/document.ts'
import { recipeOf } from '../../../interface/recipes.ts'
import { draft, request, type Send, toApp } from '../../../interface/requests.ts'
import { stubDrafts } from '../../../interface/resources.ts'
import { buildWorld, type Tenant, type World } from '../../../interface/world.ts'
import { createStage, type Stage } from '../stage.ts'

let stage: Stage
let world: World
let send: Send
let own: Tenant
/** By scope and role. */
const tokens = new Map<string, string>()
beforeAll(async () => {
  stage = await createStage()
  stubDrafts(stage.deps)
  send = toApp(stage.app)
  world = await buildWorld(stage.db, stage.ring, send)
  own = world.tenants[2] as Tenant
  for (const role of CREDENTIAL_ROLES)
    for (const scope of ['account', 'merchant'] as const) {
      const of = scope === 'merchant' ? { merchantUuid: own.merchantUuid } : {}
      tokens.set(`${scope} ${role}`, (await stage.issue({ accountId: own.accountId, scope, role, ...of })).token)
    }
})
afterAll(() => stage[Symbol.asyncDispose]())

const guarded = operations.filter((one) => !one.open)
const levels: Record<CredentialRole, number> = { read: 0, work: 1, manage: 2 }

describe.each(guarded)('$name', (operation) => {
  const { accountLevel } = recipeOf(operation)
  const needed = ROLE_OF[operation.id] as CredentialRole
  const call = async (role: CredentialRole) => {
    const chargeback = await world.freshChargeback(own)
    const valid = draft(recipeOf(operation), { ...own.ids, chargeback })
    const token = tokens.get(`${accountLevel ? 'account' : 'merchant'} ${role}`) as string
    return send(request(operation, valid, { token }))
  }

  test.each(CREDENTIAL_ROLES)('as %s', async (role) => {
    const reply = await call(role)
    if (levels[role] >= levels[needed]) return expect(reply.status, reply.text).not.toBe(403)
    expect(reply.status, reply.text).toBe(403)
    expect(JSON.parse(reply.text)).toMatchObject({
      ...{ code: 'permission_missing', error: 'Forbidden' },
      message: `This operation needs a credential with the role ${needed}; this one has ${role}.`,
    })
  })
})

test('every operation has a role, and every role belongs to an operation', () => {
  expect(Object.keys(ROLE_OF).toSorted()).toEqual(guarded.map(({ id }) => id).toSorted())
})

test('`read` covers all reads but the content of files, and nothing else; `manage` covers merchants, integrations, removals, raw data, settings and webhook endpoints', () => {
  for (const { id, method } of guarded) {
    const isRead = method === 'GET' && id !== 'readFileContent'
    expect(ROLE_OF[id] === 'read', id).toBe(isRead)
  }
  expect(
    guarded
      .filter(({ id }) => ROLE_OF[id] === 'manage')
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual(
    [
      ...['DELETE /integrations/{id}', 'DELETE /merchants', 'PATCH /integrations/{id}', 'POST /data-subjects/removal'],
      ...['POST /integrations', 'POST /integrations/{id}/scope-settings/preview', 'POST /merchants'],
      ...['POST /sandbox/raw-data', 'PUT /integrations/{id}/scope-settings'],
      ...['DELETE /webhook-endpoints/{id}', 'PATCH /webhook-endpoints/{id}', 'POST /webhook-endpoints'],
      ...['POST /webhook-endpoints/{id}/replay', 'POST /webhook-endpoints/{id}/rotate-secret'],
      ...['POST /webhook-endpoints/{id}/test', 'PATCH /settings', 'POST /settings/preview'],
      ...['poll', 'pause', 'resume'].map((act) => `POST /integrations/{id}/${act}`),
    ].toSorted(),
  )
})

test('the description says which role an operation needs', () => {
  for (const { id, method, template } of guarded) {
    const described = document.paths[template]?.[method.toLowerCase()] as { 'x-role'?: string; description?: string }
    expect(described['x-role']).toBe(ROLE_OF[id])
    expect(described.description).toMatch(new RegExp(`Role: \`${ROLE_OF[id]}\`\\.$`))
  }
})

test('HEAD needs the role of GET, and the role is checked before body and merchant', async () => {
  const token = tokens.get('merchant read')
  expect(
    (await send({ method: 'HEAD', path: '/v1/chargebacks', headers: { authorization: `Bearer ${token}` } })).status,
  ).toBe(200)
  const refused = await stage.call('POST', '/v1/integrations', { token, body: '{broken', merchant: 'nobody' })
  expect(refused).toMatchObject({ status: 403, body: { code: 'permission_missing' } })
})

test('a credential issued without a role has every right', async () => {
  const { credentialId, token } = await stage.issue({ accountId: own.accountId, scope: 'account' })
  const stored = stage.db
    .selectFrom('credential')
    .select(['role', 'addresses'])
    .where('credential_id', '=', credentialId)
  expect(await stored.executeTakeFirst()).toEqual({ role: 'manage', addresses: [] })
  expect((await stage.call('GET', '/v1/merchants', { token })).status).toBe(200)
})
