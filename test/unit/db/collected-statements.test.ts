import { describe, expect, test } from 'vitest'
import { parametersOf } from '../../statements/log.ts'
import { kindsOf, withPlaces } from '../../statements/places.ts'
import { merge, readCollected } from '../../statements/sent.ts'
import { sourcesIn, statementSources } from '../../statements/sources.ts'

/** Sent by the owner of the tables when it migrates or changes the deployment, and by `recoup key reseal`. */
const OF_THE_OWNER = /^db\/(core\/(app-role|migrate|row-security|deployment|reseal)|merchants\/second-person)\.ts:/

const collected = readCollected()
const sources = statementSources()

describe('the statements that run over a million rows', () => {
  test('include every statement of db', () => {
    const missing = sources.filter(
      ({ at, matches }) => !OF_THE_OWNER.test(at) && !collected.some(({ text }) => matches(text)),
    )
    // To add one, run a test that sends it: npm run statements -- <test file>
    expect(missing.map(({ at }) => at)).toEqual([])
  })

  test('include no others', () => {
    // To drop those that are no longer sent: npm run statements
    expect(merge(collected, [], sources)).toHaveLength(collected.length)
  })
})

describe('a statement of db is found by', () => {
  const code = `
    const { rows } = await sql<{ id: string }>\`select id from file where \${which} order by created_at\`.execute(db)
    return db.selectFrom('file').select(['file_id', 'bytes']).where('sha256', '=', sha256).execute()`
  const at = (text: string) =>
    sourcesIn('db/x.ts', code)
      .filter(({ matches }) => matches(text))
      .map((one) => one.at)

  test('every constant part of a template, in order, whatever is between them', () => {
    expect(at('select id  from file where a = $1 and b = $2 order by created_at')).toEqual(['db/x.ts:2'])
    expect(at('select id from file where a = $1 order by bytes')).toEqual([])
    expect(at('select id from file where a = $1 order by created_at limit 1')).toEqual([])
  })

  test('the table of a query builder and all columns that it names', () => {
    expect(at('select "file_id", "bytes" from "file" where "sha256" = $1')).toEqual(['db/x.ts:3'])
    expect(at('select "file_id" from "file" where "sha256" = $1')).toEqual([])
    expect(at('select * from "file" where "sha256" = $1 and "file_id" = "bytes"')).toEqual([])
  })
})

describe('a collected statement has', () => {
  const id = '018f0000-0000-7000-8000-00000000000'
  const sent = {
    text: 'update chargeback set updated_at = $1 where merchant_uuid = $2 and chargeback_id = any($3) and id = any($4)',
    values: ['2026-01-01T00:01:00.000Z', `${id}1`, '{dp_1,dp_2}', `{${id}2,${id}2}`],
    scope: 'tenant' as const,
    at: new Date('2026-01-01T00:00:00Z'),
  }

  test('parameters as Postgres logs them', () => {
    expect(parametersOf(`Parameters: $1 = 'it''s, $9 = 1', $2 = NULL, $3 = ''`)).toEqual([`it's, $9 = 1`, null, ''])
  })

  test('places instead of ids and times', () => {
    expect(withPlaces(sent, kindsOf([sent]))).toEqual([
      '<<time:1>>',
      '<<merchant:1>>',
      '{<<du:1>>,<<du:2>>}',
      '{<<chargeback:1>>,<<chargeback:1>>}',
    ])
  })
})
