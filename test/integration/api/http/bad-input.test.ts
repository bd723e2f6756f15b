import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Operation, operations, resolved } from '../../../interface/document.ts'
import { boundValues, type Invalid, invalidChanges, withChange, wrongTexts } from '../../../interface/invalid-bodies.ts'
import { hasRecipe, recipeOf } from '../../../interface/recipes.ts'
import { type Draft, draft, request, type Send, type Sent, toApp } from '../../../interface/requests.ts'
import { missingIds, stubDrafts } from '../../../interface/resources.ts'
import { faultsOfReply, type Reply } from '../../../interface/response-checks.ts'
import { storedNow } from '../../../interface/tables.ts'
import { buildWorld, type World } from '../../../interface/world.ts'
import { createStage, type Stage } from '../stage.ts'

let stage: Stage
let world: World
let send: Send
beforeAll(async () => {
  stage = await createStage()
  stubDrafts(stage.deps)
  send = toApp(stage.app)
  world = await buildWorld(stage.db, stage.ring, send)
})
afterAll(() => stage[Symbol.asyncDispose]())

/** Fixed, so that a failed run can be repeated. */
const SEED = 4711
const guarded = operations.filter((one) => !one.open && hasRecipe(one))
const withJson = guarded.filter(({ body }) => body?.type === 'application/json')

const caller = (operation: Operation) => {
  const account = world.holders.find((one) => one.scope === 'account')
  return { token: (recipeOf(operation).accountLevel ? account?.token : world.tenants[0]?.token) ?? '' }
}
const valid = (operation: Operation) => draft(recipeOf(operation), world.tenants[0]?.ids ?? missingIds())
const ask = (operation: Operation, change: Partial<Draft>) =>
  sendChecked(request(operation, { ...valid(operation), ...change }, caller(operation)))

async function sendChecked(sent: Sent): Promise<Reply> {
  const reply = await send(sent)
  expect(faultsOfReply(sent.method, new URL(sent.path, 'http://x').pathname, reply), shown(sent)).toEqual([])
  return reply
}
const shown = ({ method, path, body }: Sent) => `${method} ${path.slice(0, 300)} ${String(body ?? '').slice(0, 300)}`

function expectRefusal(reply: Reply, status: number, what: string, ...named: string[]) {
  expect(reply.status, `${what}: ${reply.text}`).toBe(status)
  for (const name of named) expect(`; ${JSON.parse(reply.text).message}`, what).toContain(`; ${name}: `)
}

/** Checks that `work` stores nothing. */
async function storingNothing(work: () => Promise<void>) {
  const before = await storedNow(stage.db)
  await work()
  expect(await storedNow(stage.db)).toEqual(before)
}

const nameOf = ({ path }: Invalid) => path.join('.') || 'body'

const RAW: [what: string, body: string, status: number][] = [
  ['empty', '', 400],
  ['truncated', '{"a": "b', 400],
  ['a list', '[]', 400],
  ['null', 'null', 400],
  ['a text', '"text"', 400],
  ['a number', '1e999', 400],
  ['not a number', 'NaN', 400],
  ['two bodies', '{}{}', 400],
  ['binary', '\u0000\u0001\ufffd', 400],
  ['nested too deeply', `{"a":${'['.repeat(5_000)}${']'.repeat(5_000)}}`, 400],
  ['a path to the prototype', '{"__proto__":{"admin":true},"constructor":{"prototype":{}}}', 400],
  ['larger than 1 MB', `{"a":"${'x'.repeat(1_048_576)}"}`, 413],
]

describe.each(withJson)('the body of $name', (operation) => {
  const schema = resolved(operation.body?.schema ?? {})
  const all = invalidChanges(schema)
  /** A text that is not the id of a resource: 404, or named like other invalid fields. */
  const namesNothing = ({ path: [name = ''], value }: Invalid) =>
    typeof value === 'string' && name in (recipeOf(operation).bodyIds ?? {})
  const fields = all.filter((change) => change.path.length === 1 && !namesNothing(change))
  const body = () => valid(operation).body

  it('is refused for each single error, with the name of the field', () =>
    storingNothing(async () => {
      for (const change of all) {
        const reply = await ask(operation, { body: withChange(body(), change) })
        if (namesNothing(change) && reply.status === 404) continue
        expectRefusal(reply, 400, `${change.path.join('.')} ${change.what}`, nameOf(change))
      }
    }))

  // Data points have no fixed fields.
  if (fields.length > 0)
    it('is refused with every invalid field named, in any combination', () =>
      storingNothing(async () => {
        const one = fc.constantFrom(...fields)
        const several = fc.uniqueArray(one, { minLength: 2, maxLength: 6, selector: ({ path }) => path[0] })
        for (const chosen of fc.sample(several, { seed: SEED, numRuns: 15 })) {
          const changed = chosen.reduce<unknown>((made, each) => withChange(made, each), body())
          const what = chosen.map(({ path, what }) => `${path.join('.')} ${what}`).join(' and ')
          expectRefusal(await ask(operation, { body: changed }), 400, what, ...chosen.map(nameOf))
        }
      }))

  it('is accepted at its bounds', async () => {
    for (const [name, field] of Object.entries(schema.properties ?? {}))
      for (const value of boundValues(field)) {
        const { status, text } = await ask(operation, { body: withChange(body(), { what: '', path: [name], value }) })
        expect(status, text).toBeLessThan(500)
        if (JSON.parse(text || '{}').code === 'validation_failed')
          expect(`; ${JSON.parse(text).message}`, JSON.stringify(value).slice(0, 300)).not.toContain(`; ${name}: `)
      }
  })

  it('is refused when it is no object of JSON, or too large', () =>
    storingNothing(async () => {
      const sent = request(operation, valid(operation), caller(operation))
      for (const [what, raw, status] of RAW) expectRefusal(await sendChecked({ ...sent, body: raw }), status, what)
    }))

  it.each([
    'text/plain',
    'application/xml',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'nonsense',
    '',
  ])('is refused as "%s"', async (type) => {
    const sent = request(operation, valid(operation), caller(operation))
    const reply = await sendChecked({ ...sent, headers: { ...sent.headers, 'content-type': type } })
    expectRefusal(reply, 415, type)
  })
})

describe.each(guarded.filter(({ parameters }) => parameters.some((one) => one.in === 'query')))(
  'the query of $name',
  (operation) => {
    const parameters = operation.parameters.filter((one) => one.in === 'query')
    const path = () => valid(operation).path

    it('is refused for each single error, with the name of the parameter', async () => {
      for (const { name, schema } of parameters)
        for (const [what, text] of wrongTexts(schema)) {
          const reply = await ask(operation, { query: [[name, text]], path: path() })
          expectRefusal(reply, 400, `${name} ${what}: ${text.slice(0, 50)}`, name)
        }
    })

    it('is refused when a parameter is given twice', async () => {
      for (const { name } of parameters) {
        const reply = await ask(operation, { query: [[name, '11'], [name, '11']] }) // biome-ignore format: a pair each
        expectRefusal(reply, 400, `${name} twice`, name)
      }
    })

    it('is refused with every invalid and every unknown parameter named', async () => {
      const query = parameters.map(({ name, schema }): [string, string] => [name, wrongTexts(schema)[0]?.[1] ?? ''])
      expectRefusal(await ask(operation, { query }), 400, 'all of them', ...parameters.map(({ name }) => name))
      query.push(['colour', 'red'], ['__proto__', '1'])
      expectRefusal(await ask(operation, { query }), 400, 'unknown ones', ...query.map(([name]) => name))
    })
  },
)

describe.each(guarded)('what $name does not define', (operation) => {
  const sent = () => request(operation, valid(operation), caller(operation))

  it('is refused as a parameter, with a suggestion', () =>
    storingNothing(async () => {
      const query = operation.parameters.filter((one) => one.in === 'query')
      for (const { name } of query) {
        const reply = await ask(operation, { query: [[name.slice(0, -1).toUpperCase(), 'x']] })
        expect(JSON.parse(reply.text).message).toContain(`Unknown parameter. Did you mean ${name}?`)
      }
      expectRefusal(await sendChecked({ ...sent(), path: `${sent().path}?colour=red` }), 400, 'a query', 'colour')
    }))

  if (!operation.body)
    it('is refused as a body', () =>
      storingNothing(async () => {
        const isRead = operation.method === 'GET'
        // biome-ignore format: a pair each
        for (const [body, named] of [['{"foo":1}', 'foo'], ['[1]', 'body'], ['text', 'body']] as const) {
          const { headers, ...rest } = sent()
          const length = { 'content-type': 'application/json', 'content-length': String(body.length) }
          const reply = await sendChecked({ ...rest, headers: { ...headers, ...length }, ...(!isRead && { body }) })
          expectRefusal(reply, 400, body, isRead ? 'body' : named)
        }
      }))
})

const INVALID_IDS = [
  'x',
  'null',
  '0',
  "1' or '1'='1",
  '\0',
  '\ud83d',
  '漢',
  'x'.repeat(3_000),
  '{}',
  '%',
  'a/b',
  '0'.repeat(32),
]

describe.each(guarded.filter(({ template }) => template.includes('{')))('the path of $name', (operation) => {
  const recipe = recipeOf(operation)
  const names = Object.keys(recipe.path ?? {})

  it('is refused with a malformed id, and with an unknown one', () =>
    storingNothing(async () => {
      for (const name of names) {
        for (const id of INVALID_IDS) {
          const path = { ...valid(operation).path, [name]: id.toWellFormed() }
          expectRefusal(await ask(operation, { path }), recipe.malformedId ?? 404, `${name} ${id.slice(0, 50)}`)
        }
        for (const id of ['00000000-0000-0000-0000-000000000000', missingIds().chargeback]) {
          const path = { ...valid(operation).path, [name]: id }
          expectRefusal(await ask(operation, { path }), 404, `${name} ${id}`)
        }
      }
    }))

  it('is refused when its encoding is invalid', async () => {
    const sent = request(operation, valid(operation), caller(operation))
    for (const bytes of ['%E0%A4%A', '%ff%fe', '%']) {
      const path = sent.path.replace(Object.values(valid(operation).path)[0] ?? '', bytes)
      expectRefusal(await sendChecked({ ...sent, path }), recipe.malformedId ?? 404, bytes)
    }
  })
})

describe.each(guarded.filter(({ method }) => method !== 'GET'))('the Idempotency-Key of $name', (operation) => {
  it('is refused when it is empty, too long, or has other characters', () =>
    storingNothing(async () => {
      const sent = request(operation, valid(operation), caller(operation))
      for (const key of ['', ' ', 'x'.repeat(256), 'caf\u00e9', 'a\tb']) {
        const reply = await sendChecked({ ...sent, headers: { ...sent.headers, 'idempotency-key': key } })
        expectRefusal(reply, 400, JSON.stringify(key), 'Idempotency-Key')
      }
    }))
})

it('the process is healthy and has logged no error', async () => {
  expect((await send({ method: 'GET', path: '/health', headers: {} })).status).toBe(200)
  expect(stage.lines.filter((line) => JSON.parse(line).level === 'error')).toEqual([])
})
