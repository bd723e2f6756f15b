import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { asArray } from '../../../db/core/arrays.ts'
import { createStage, type Stage } from '../api/stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await createStage()
})
afterAll(() => stage[Symbol.asyncDispose]())

const read = async (values: (string | null)[]) =>
  (await sql<{ texts: (string | null)[] }>`select ${asArray(values)}::text[] as texts`.execute(stage.db)).rows[0]?.texts

const text = fc.oneof(
  fc.constantFrom('', 'NULL', 'null', '"', '\\', '\\x00', '{}', '{', ',', ' ', '\n', "'", '\\"'),
  fc.string({ unit: 'grapheme' }).filter((one) => !one.includes('\0') && one.isWellFormed()),
)

test('an array of any texts is read as it was written', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.option(text)), async (values) => {
      expect(await read(values)).toEqual(values)
    }),
    { numRuns: 200 },
  )
})

test('numbers and truth values need no quotes, and texts may hold arrays', async () => {
  const { rows } = await sql`
    select ${asArray([1, -2.5, null])}::numeric[]::text as numbers, ${asArray([true, false])}::boolean[]::text as truths,
      (${asArray([asArray(['a', null, '"'])])}::text[])[1]::text[] as inner`.execute(stage.db)
  expect(rows).toEqual([{ numbers: '{1,-2.5,NULL}', truths: '{t,f}', inner: ['a', null, '"'] }])
})
