import { describe, expect, it, test } from 'vitest'
import { z } from 'zod'
import { adapters } from '../../../adapters/registry.ts'
import { read } from './markdown.ts'

const readme = read('README.md')

describe('README.md', () => {
  it('fits on two screens', () => {
    expect(readme.split('\n').length).toBeLessThanOrEqual(125)
  })

  it('begins with what to install, what to start, and the lines to paste', () => {
    expect(readme).toContain('```\nnpm install\nnpm start\n```')
    expect(readme.match(/^ {2}curl -sS -H '@[^']*\.recoup\/authorization'.*chargebacks/gm)).toHaveLength(4)
  })

  it('names the command of the tests, which CI runs', () => {
    expect(readme).toContain('`npm test`')
    expect(read('.ci/run')).toMatch(/^npm test$/m)
  })

  it('says how to replace a key, and that an account can be connected again', () => {
    expect(readme).toMatch(/\*\*Replace a key\*\* with `PATCH \/v1\/integrations\/\{id\}`/)
    expect(readme).toMatch(/\*\*Connect again:\*\*[\s\S]*with their ids, data points\s+and timeline/)
  })

  it('names commands and scripts that exist', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
    const named = [...readme.matchAll(/npm (?:run )?([a-z]+(?::[a-z]+)?)/g)].map(([, name = '']) => name)
    expect(named.filter((name) => name !== 'install' && !(name in scripts))).toEqual([])
  })
})

/** Cells of the table of PSPs, by source. */
const rows = new Map(
  [...readme.matchAll(/^\| \[`(\w+)`\]\(([^)]+)\) \|(.*)\|$/gm)].map(([, source = '', link, rest = '']) => [
    source,
    { link, cells: rest.split('|').map((cell) => cell.trim()) },
  ]),
)

describe('the table of PSPs in README.md', () => {
  it('names adapters that exist, the five of Recoup among them', () => {
    const sources: readonly string[] = adapters().map(({ source }) => source)
    expect([...rows.keys()].filter((source) => !sources.includes(source))).toEqual([])
    expect(rows.size).toBeGreaterThanOrEqual(5)
  })

  const single = adapters().filter(({ secrets }) => Object.keys(secrets).length === 1)
  test.each(single)('$source: secretType and fields of the secretPayload are those of the adapter', (adapter) => {
    const [[type, { schema, notificationFields }] = ['', {}]] = Object.entries(adapter.secrets) as [
      string,
      { schema: z.ZodType; notificationFields: readonly string[] },
    ][]
    const words = [...(rows.get(adapter.source)?.cells[0] ?? '').matchAll(/`(\w+)`/g)].map(([, word]) => word)
    const fields = z.toJSONSchema(schema as z.ZodType, { io: 'input' }) as {
      properties: Record<string, unknown>
      required: string[]
    }
    expect(words[0]).toBe(type)
    expect(words.slice(1).filter((word = '') => !(word in fields.properties))).toEqual([])
    for (const field of [...fields.required, ...(notificationFields ?? [])]) expect(words).toContain(field)
  })

  test.each([
    ['stripe', /Disputes: write|Files: write|Charges: read|Account: read/g],
    ['paypal', /Disputes|Transaction Search/g],
    ['braintree', /Disputes: view|manage and contest|Merchant accounts: view/g],
    ['adyen', /API dispute management/g],
  ])('%s: permissions are those that the check of a credential names', (source, names) => {
    const cell = rows.get(source)?.cells[2] ?? ''
    const named = [...cell.matchAll(names)].map(([name]) => name)
    expect(named.length).toBeGreaterThan(0)
    const text = read(`adapters/${source}/credentials.ts`)
    expect(named.filter((name) => !text.includes(name))).toEqual([])
  })

  test.each([
    ['stripe', (type: string) => ({ type, data: { object: { id: 'du_1' } } })],
    ['paypal', (type: string) => ({ event_type: type, resource: { dispute_id: 'PP-D-1' } })],
  ])('%s: each event to subscribe to makes Recoup read its dispute', async (source, event) => {
    const { readNotification } = (await import(`../../../adapters/${source}/notifications.ts`)) as {
      readNotification(envelope: { id: string; type: string; body: string }): { references: string[] }
    }
    const types = [...(rows.get(source)?.cells[3] ?? '').matchAll(/`([\w.]+)`/g)].map(([, type = '']) => type)
    expect(types.length).toBeGreaterThan(2)
    for (const type of types)
      expect(readNotification({ id: 'e', type, body: JSON.stringify(event(type)) }).references, type).toHaveLength(1)
  })
})
