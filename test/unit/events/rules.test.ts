import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { EVENT_PATTERNS, EVENT_TYPES, matchingTypes } from '../../../domain/events/catalogue.ts'
import { eventsOf, KNOWN_ROWS } from '../../../domain/events/rules.ts'

const row = (what: string, after: object | null = null, before: object | null = null) => ({
  what,
  before: before as Record<string, unknown> | null,
  after: after as Record<string, unknown> | null,
})
const typesOf = (...rows: ReturnType<typeof row>[]) => eventsOf(rows).map(({ type }) => type)
const psp = (before: string, after: string) => row('pspStatus changed', { pspStatus: after }, { pspStatus: before })

describe('the rows of one chargeback and transaction', () => {
  test.each([
    ['chargeback.created', [row('ingested'), row('continued by a later chargeback')]],
    ['chargeback.won', [row('status changed'), psp('under_review', 'won'), row('details changed')]],
    ['chargeback.lost', [psp('needs_response', 'lost')]],
    ['chargeback.split', [psp('under_review', 'split')]],
    ['chargeback.reopened', [psp('lost', 'needs_response')]],
    ['chargeback.updated', [psp('under_review', 'needs_response')]],
    ['chargeback.updated', [psp('needs_response', 'under_review')]],
    ['chargeback.due_soon', [row('due soon'), row('reason changed')]],
    ['chargeback.updated', [row('assessment changed')]],
    ['chargeback.updated', [row('a word of a newer version')]],
  ])('are %s', (type, rows) => {
    expect(typesOf(...rows)).toEqual([type])
  })

  test('a higher stage is a new case only where the PSP waits for an answer again', () => {
    const climb = row(
      'lifecycleStage changed',
      { lifecycleStage: 'second_chargeback' },
      { lifecycleStage: 'chargeback' },
    )
    const fall = row('lifecycleStage changed', { lifecycleStage: 'inquiry' }, { lifecycleStage: 'chargeback' })
    const due = row('dueDate changed', { dueDate: '2027-01-01T00:00:00.000Z' })
    expect(typesOf(climb, due)).toEqual(['chargeback.reopened'])
    expect(typesOf(climb, psp('under_review', 'needs_response'))).toEqual(['chargeback.reopened'])
    expect(typesOf(climb)).toEqual(['chargeback.updated'])
    expect(typesOf(climb, row('dueDate changed', { dueDate: null }))).toEqual(['chargeback.updated'])
    expect(typesOf(fall, due)).toEqual(['chargeback.updated'])
  })

  test('a command that ends has its own event, and the chargeback the one that follows', () => {
    const rows = [
      row('acceptance succeeded', { acceptanceId: 'a' }),
      row('status changed', { status: 'not_represented' }),
      row('assessment changed'),
    ]
    expect(eventsOf(rows)).toEqual([
      { type: 'acceptance.succeeded', commandId: 'a', rows: rows.slice(0, 1) },
      { type: 'chargeback.updated', commandId: null, rows: rows.slice(1) },
    ])
    expect(typesOf(row('evidence submission requested', { submitEvidenceId: 'e' }))).toEqual([
      'evidence_submission.created',
    ])
  })

  test('the outcome of an alert is told by its own event only', () => {
    expect(typesOf(row('alert outcome recorded'))).toEqual([])
  })
})

/** The texts that the code writes as `what`: those of the columns, of commands, and literals next to an insert. */
function written(): string[] {
  const files = ['db', 'workflows/activities'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      // The trails of webhook endpoints and of settings have words of their own.
      .filter((name) => name.endsWith('.ts') && !/^(migrations|webhooks|settings)/.test(name))
      .map((name) => readFileSync(`${folder}/${name}`, 'utf8')),
  )
  const literals = files.flatMap((text) => [
    ...[...text.matchAll(/\bwhat: (?:\w+ \? )?'([^']+)'(?: : '([^']+)')?/g)].flatMap(([, one, other]) => [one, other]),
    ...text
      .split('insert into timeline_event')
      .slice(1)
      .flatMap((after) =>
        [...(after.split('`')[0] ?? '').matchAll(/'([a-z][\w-]*(?: [\w-]+)+)'/gi)].map(([, one]) => one),
      ),
    ...[...text.matchAll(/\$\{source\}, '([^']+)'/g)].map(([, one]) => one),
    ...[...text.matchAll(/case when .*?\n?.*?then '([a-z]+ [a-z ]+)' else '([a-z]+ [a-z ]+)' end/gi)].flatMap(
      ([, one, other]) => [one, other],
    ),
    ...[...text.matchAll(/STALE = '([^']+)'/g)].map(([, one]) => one),
    ...[...text.matchAll(/together\(entry, '(\w+)'/g)].map(([, one]) => `${one} changed`),
  ])
  return [...new Set(literals.filter((one) => one !== undefined))]
}

describe('the table of rules', () => {
  const NO_ROWS = ['due soon and still open']

  test('knows every row that the code writes', async () => {
    const { columnOf, WRITTEN } = await import('../../../db/chargebacks/column-sql.ts')
    const columns = WRITTEN.filter((name) => typeof columnOf(name).timeline === 'object').map(
      (name) => `${name} changed`,
    )
    const commands = ['acceptance', 'evidence submission'].flatMap((kind) =>
      ['requested', 'succeeded', 'failed', 'due soon and still open'].map((what) => `${kind} ${what}`),
    )
    const all = [...written().filter((what) => !NO_ROWS.includes(what.trim())), ...columns, ...commands]
    expect(all.length).toBeGreaterThan(25)
    expect(all.filter((what) => !KNOWN_ROWS.has(what))).toEqual([])
  })

  test('has no row that nobody writes', async () => {
    const { columnOf, WRITTEN } = await import('../../../db/chargebacks/column-sql.ts')
    const columns = WRITTEN.filter((name) => typeof columnOf(name).timeline === 'object').map(
      (name) => `${name} changed`,
    )
    const known = [...KNOWN_ROWS].filter((what) => !/^(acceptance|evidence submission) /.test(what))
    expect(known.filter((what) => !written().includes(what) && !columns.includes(what))).toEqual([])
  })
})

describe('patterns', () => {
  test.each([
    [['*'], EVENT_TYPES.length],
    [['chargeback.*'], 7],
    [['acceptance.failed', 'acceptance.*'], 4],
    [['alert.created'], 1],
    [[], 0],
  ])('%j name %i types', (patterns, count) => {
    expect(matchingTypes(patterns).length).toBe(count)
  })

  test('every pattern names a type, and a type is no prefix of another object', () => {
    for (const pattern of EVENT_PATTERNS) expect(matchingTypes([pattern]).length).toBeGreaterThan(0)
    expect(matchingTypes(['acceptance.*'])).not.toContain('evidence_submission.created')
  })
})
