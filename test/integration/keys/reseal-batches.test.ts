import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { resealAll } from '../../../db/core/reseal.ts'
import { readKeyRing, seal, sealContext } from '../../../db/core/seal.ts'
import { addEvidenceFile, stageWithIntegration } from '../api/chargebacks/chargeback-rows.ts'

/** Rows of a table by the transaction that wrote them last, largest first. */
const perTransaction = (table: string) => sql<{ rows: number }>`
  select count(*)::int as rows from ${sql.table(table)} group by xmin::text order by 1 desc`

test('key reseal commits in batches: 200 texts, or 4 files, and reports each batch', async () => {
  const { stage, at } = await stageWithIntegration()
  await using _stage = stage
  const { db, ring } = stage
  const sealed = Array.from({ length: 450 }, () => seal(ring, '{}', sealContext.rawObject(at.integrationId)))
  await sql`insert into raw_object (integration_id, kind, reference, sealed)
    select ${at.integrationId}, 'dispute', 'du_' || n, s from unnest(${sealed}::text[]) with ordinality u(s, n)`.execute(
    db,
  )
  for (let n = 0; n < 9; n++) await addEvidenceFile(stage, at.merchantUuid)

  const counted: Record<string, number[]> = {}
  const next = readKeyRing(`next:${randomBytes(32).toString('base64')},${stage.keys}`)
  await resealAll(db, next, ({ table, column, resealed }) => {
    const place = `${table}.${column}`
    counted[place] = [...(counted[place] ?? []), resealed]
  })
  expect((await perTransaction('raw_object').execute(db)).rows).toEqual([{ rows: 200 }, { rows: 200 }, { rows: 50 }])
  expect(counted['raw_object.sealed']).toEqual([200, 400, 450])
  expect(counted['file.content_sealed']).toEqual([4, 8, 9])
})
