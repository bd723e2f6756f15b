import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { setRowSecurity } from '../../../../db/core/row-security.ts'
import { withOwner } from '../../../harness/database.ts'
import { type Operation, operations, resolved } from '../../../interface/document.ts'
import { hasRecipe, knownRecipes, type Recipe, recipeFaults, recipeOf } from '../../../interface/recipes.ts'
import { draft, request, type Send, toApp } from '../../../interface/requests.ts'
import { missingIds, stubDrafts } from '../../../interface/resources.ts'
import { faultsOfReply, type Reply } from '../../../interface/response-checks.ts'
import { storedNow, storedOfOthers } from '../../../interface/tables.ts'
import { buildWorld, type Holder, type Tenant, type World } from '../../../interface/world.ts'
import { createStage, type Stage } from '../stage.ts'
import { type IsolationLayers, withLayers } from './isolation-layers.ts'

/** Messages of the table in the API description. */
const AMBIGUOUS = 'Account has more than one merchant; set the reference account header'
const UNREACHABLE = 'Account has no permission to access the referenced account'
const NO_MERCHANT = 'Account has no merchant to act on'
const ACCOUNT_LEVEL = 'Credential is scoped to merchants and cannot be used on account level endpoints'

/** The selected merchant, null for the account itself, or the expected error message. */
function selected(
  holder: Holder,
  header: string | undefined,
  { accountLevel, allMerchants, everyScope }: Pick<Recipe, 'accountLevel' | 'allMerchants' | 'everyScope'>,
): Tenant | null | string {
  if (everyScope) return null
  if (accountLevel) return holder.scope === 'account' ? null : ACCOUNT_LEVEL
  if (allMerchants && holder.scope === 'account' && !header?.trim()) return null
  if (holder.merchants === 0) return NO_MERCHANT
  const [only] = holder.reach
  if (header === undefined || header.trim() === '')
    return holder.scope === 'group' || (holder.scope === 'account' && holder.merchants > 1) || !only ? AMBIGUOUS : only
  return holder.reach.find((one) => header === one.referenceId || header === one.merchantUuid) ?? UNREACHABLE
}

const marksOf = ({ ids, merchantUuid, referenceId, name }: Tenant) => [
  ...Object.values(ids),
  merchantUuid,
  referenceId,
  `Shop ${name}`,
]

const guarded = operations.filter((one) => !one.open)
const fieldsOf = (operation: Operation) =>
  operation.body ? Object.keys(resolved(operation.body.schema).properties ?? {}) : []

/**
 * Merchants and accounts are isolated by the layers that are enabled. Which merchant a header selects, what is refused
 * before a merchant is known and how an id is spelled does not depend on them: only the run with both tries all of it.
 */
export function tenancySuite({ filters, policies }: IsolationLayers): void {
  const both = filters && policies
  let stage: Stage
  let world: World
  let send: Send
  beforeAll(async () => {
    stage = await createStage()
    stubDrafts(stage.deps)
    if (!policies) await withOwner(stage.database.url, (owner) => setRowSecurity(owner, false))
    const inner = toApp(stage.secondApp({ db: withLayers(stage.db.pool, filters) }))
    send = async (sent) => {
      const reply = await inner(sent)
      expect(faultsOfReply(sent.method, new URL(sent.path, 'http://x').pathname, reply), sent.path).toEqual([])
      return reply
    }
    world = await buildWorld(stage.db, stage.ring, send)
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  const headers = () => [
    undefined,
    ...(both ? [' ', 'nobody', missingIds().integration] : []),
    ...world.tenants.flatMap(({ referenceId, merchantUuid }) => (both ? [referenceId, merchantUuid] : [referenceId])),
  ]
  /** A layer alone sees which merchant was selected, but not by which credential: one credential for each is enough. */
  const repeats = (holder: Holder, own: Tenant) => holder !== world.holders.find(({ reach }) => reach.includes(own))

  it('every operation has a recipe for a valid request and the kinds of its ids', () => {
    expect(guarded.flatMap((operation) => recipeFaults(operation, fieldsOf(operation)))).toEqual([])
    expect(knownRecipes().filter((id) => !operations.some((one) => one.id === id))).toEqual([])
  })

  describe.each(guarded.filter(hasRecipe))('$name', (operation) => {
    const recipe = recipeOf(operation)

    const reads = operation.method === 'GET'
    const accepts = async () => {
      for (const holder of world.holders)
        for (const merchant of headers()) {
          const where = `${holder.name}, header ${merchant}`
          const as = { token: holder.token, ...(merchant !== undefined && { merchant }) }
          const expected = selected(holder, merchant, recipe)
          if (!both && (typeof expected === 'string' || (expected && repeats(holder, expected)))) continue
          const of = (typeof expected === 'object' && expected) || holder.reach[0] || world.tenants[0]
          const ids = reads || typeof expected === 'string' ? (of as Tenant).ids : missingIds()
          const valid = draft(recipe, ids)
          const body = reads || valid.body === undefined ? valid.body : { neverAField: null }
          const parts = valid.parts && [{ name: 'neverAPart', content: '' }]
          const reply = await send(request(operation, { ...valid, body, parts }, as))
          if (typeof expected === 'string') {
            expect(reply.status, where).toBe(401)
            expect(JSON.parse(reply.text).message, where).toBe(`Authorization error. ${expected}`)
            continue
          }
          expect(reply.status, where).not.toBe(401)
          if (reads)
            expect(reply.status, `${where}: ${reply.text}`).toBe(
              !recipe.path || (holder.reach[0] && !(recipe.allMerchants && expected === null)) ? recipe.status : 404,
            )
          const others = world.tenants.filter((one) =>
            expected
              ? one !== expected
              : recipe.everyScope
                ? !holder.reach.includes(one)
                : one.accountId !== holder.reach[0]?.accountId,
          )
          for (const mark of others.flatMap(marksOf)) expect(reply.text, where).not.toContain(mark)
        }
    }
    if (reads || both) it('accepts exactly the credentials and headers of the table', accepts)

    const places = [
      ...Object.entries(recipe.path ?? {}).map(([name, kind]) => ({ at: 'path', name, kind })),
      ...Object.entries(recipe.bodyIds ?? {}).map(([name, kind]) => ({ at: 'body', name, kind })),
      ...Object.entries(recipe.queryIds ?? {}).map(([name, kind]) => ({ at: 'query', name, kind })),
    ]
    it.each(places)('treats the $kind of another merchant in $at $name as missing', async ({ at, name, kind }) => {
      const before = await storedNow(stage.db)
      for (const holder of world.holders)
        for (const own of recipe.accountLevel ? holder.reach.slice(0, 1) : holder.reach) {
          if (recipe.accountLevel && holder.scope !== 'account') continue
          if (!both && repeats(holder, own)) continue
          const as = { token: holder.token, merchant: own.referenceId }
          const none = visible(await send(about(operation, own, at, name, missingIds()[kind], as)))
          if (at !== 'query') expect(none.status, none.text).toBe(404)
          const foreign = world.tenants.filter((one) =>
            recipe.accountLevel ? one.accountId !== own.accountId : one !== own,
          )
          for (const { ids } of foreign)
            for (const id of both ? [ids[kind], ids[kind].toUpperCase()] : [ids[kind]])
              expect(visible(await send(about(operation, own, at, name, id, as))), holder.name).toEqual(none)
        }
      expect(await storedNow(stage.db)).toEqual(before)
    })

    it('works for its own merchant and changes nothing of another', async () => {
      for (const own of world.tenants) {
        const before = await storedOfOthers(stage.db, own.merchantUuid)
        const account = world.holders.find((one) => one.scope === 'account' && one.reach.includes(own))
        const ids = { ...own.ids, chargeback: await world.freshChargeback(own) }
        const ofAccount = operation.method === 'GET' ? account?.token : world.growing
        const token = (recipe.accountLevel && ofAccount) || own.token
        const reply = await send(request(operation, draft(recipe, ids), { token }))
        expect(reply.status, reply.text).toBe(recipe.status)
        if (!recipe.accountLevel) expect(await storedOfOthers(stage.db, own.merchantUuid)).toEqual(before)
      }
    })
  })

  describe('GET /chargebacks', () => {
    it('refuses a cursor of another merchant like one that was never issued', async () => {
      const list = operations.find((one) => one.id === 'listChargebacks') as Operation
      const listed = (tenant: Tenant, cursor?: string) =>
        send(
          request(list, { path: {}, query: cursor ? [['cursor', cursor]] : [], body: undefined, parts: null }, tenant),
        )
      const [a, b] = world.tenants as [Tenant, Tenant]
      const { nextCursor } = JSON.parse((await listed(b)).text)
      expect((await listed(b, nextCursor)).status).toBe(200)
      const never = visible(await listed(a, 'never'))
      expect(never.status).toBe(400)
      expect(visible(await listed(a, nextCursor))).toEqual(never)
    })
  })
}

function about(
  operation: Operation,
  own: Tenant,
  at: string,
  name: string,
  id: string,
  as: { token: string; merchant: string },
) {
  const valid = draft(recipeOf(operation), own.ids)
  if (at === 'path') return request(operation, { ...valid, path: { ...valid.path, [name]: id } }, as)
  if (at === 'query') return request(operation, { ...valid, query: [[name, id]] }, as)
  return request(operation, { ...valid, body: { ...(valid.body as object), [name]: id } }, as)
}

/** What a caller can compare: everything except values that are new in each response. */
function visible({ status, headers: all, text }: Reply) {
  const changing = new Set(['x-request-id', 'ratelimit-remaining', 'ratelimit-reset', 'date'])
  return {
    status,
    text: text.replace(/"errorId":"[^"]+"/, '"errorId":""'),
    headers: [...all].filter(([name]) => !changing.has(name)),
  }
}
