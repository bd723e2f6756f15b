import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { expireRows } from '../../../db/retention/retention.ts'
import { addChargeback, addEvidenceFile, type Place, stageWithIntegration } from '../api/chargebacks/chargeback-rows.ts'
import type { Stage } from '../api/stage.ts'

let stage: Stage
let at: Place
beforeAll(async () => {
  ;({ stage, at } = await stageWithIntegration())
})
afterAll(() => stage[Symbol.asyncDispose]())

const ago = (days: number) => new Date(Date.now() - days * 86_400_000)

it('packages of evidence end with their PDF, as files of submissions; of those that were sent the numbers stay', async () => {
  const add = async (reference: string, days: number, change: object = {}, sent = false) => {
    const decided = {
      psp_status: 'lost',
      psp_status_change_date: ago(days),
      created_at: ago(days),
      updated_at: ago(days),
    }
    const id = await addChargeback(stage.db, at, { chargeback_id: reference, ...decided, ...change })
    const fileId = await addEvidenceFile(stage, at.merchantUuid)
    await stage.db
      .updateTable('file')
      .set({ origin: 'built', created_at: ago(days) })
      .where('file_id', '=', fileId)
      .execute()
    const about = { merchant_uuid: at.merchantUuid, chargeback_id: id, round: 1 }
    await stage.db
      .insertInto('evidence_package')
      .values({
        ...{
          ...about,
          package_id: id,
          version: 1,
          state: 'current',
          digest: '',
          file_id: fileId,
          content_sealed: 'x',
        },
        ...{ play: 'general', playbook_version: 1, completeness: 1, required_missing: 0, kept: ['order'] },
        ...{ manual_only: false, contradicted: false },
      })
      .execute()
    if (!sent) return
    const command = { command_id: id, kind: 'evidence_submission', status: 'succeeded', deadline: ago(days) }
    const dispute = { source: 'stripe', psp_account: '?', reference }
    await stage.db
      .insertInto('command')
      .values({ ...about, ...command, ...dispute })
      .execute()
    await stage.db.insertInto('evidence_submission').values({ command_id: id, file_id: fileId }).execute()
  }
  await add('packed-sent', 560, {}, true)
  await add('packed-unsent', 560)
  await add('packed-young', 540)
  await add('packed-open', 560, { psp_status: 'needs_response' })
  await expireRows(stage.db, [], 100)
  const { rows } =
    await sql`select c.chargeback_id as ref, p.content_sealed as content, f.content_sealed is not null as pdf
    from evidence_package p join chargeback c on c.id = p.chargeback_id left join file f on f.file_id = p.file_id
    order by 1`.execute(stage.db)
  expect(rows).toEqual([
    { ref: 'packed-open', content: 'x', pdf: true },
    { ref: 'packed-sent', content: null, pdf: false },
    { ref: 'packed-young', content: 'x', pdf: true },
  ])
})

it('a file for a chargeback or its transaction stays until the PSP has decided, because a package may enclose it', async () => {
  const { merchantUuid } = at
  const record = { merchant_uuid: merchantUuid, transaction_id: 'order-of-arn', arn: 'arn-1', sealed: '' }
  await stage.db
    .insertInto('transaction_record')
    .values({ ...record, transaction_record_id: randomUUID() })
    .execute()
  const ids = { transaction_id: 'pi_1', external_transaction_identifier: 'ch_1', arn: 'arn-1' }
  const open = await addChargeback(stage.db, at, { chargeback_id: 'files-open', ...ids })
  const lost = { psp_status: 'lost', psp_status_change_date: ago(200), created_at: ago(300), updated_at: ago(200) }
  const closed = await addChargeback(stage.db, at, { chargeback_id: 'files-closed', transaction_id: 'pi_2', ...lost })
  const merged = await addChargeback(stage.db, at, { chargeback_id: 'files-merged', merged_into: open })
  const files = [
    ...['files-open', 'files-closed', 'never-came', open, closed, merged].map((it) => ({ chargeback_reference: it })),
    ...['pi_1', 'ch_1', 'order-of-arn', 'pi_2'].map((it) => ({ transaction_reference: it })),
  ]
  const references = new Map<string, string>()
  for (const about of files) {
    const fileId = await addEvidenceFile(stage, merchantUuid)
    await stage.db
      .updateTable('file')
      .set({ created_at: ago(181), ...about })
      .where('file_id', '=', fileId)
      .execute()
    references.set(fileId, Object.values(about).join())
  }
  const sweep = async () => {
    // Earlier tests may have left the pass half-way.
    for (let step = 0; step < 3; step++) await expireRows(stage.db, [], 100)
    const rows = await stage.db.selectFrom('file').select('file_id').execute()
    return rows.flatMap(({ file_id }) => references.get(file_id) ?? []).sort()
  }
  expect(await sweep()).toEqual(['files-open', open, 'pi_1', 'ch_1', 'order-of-arn'].sort())
  await stage.db.updateTable('chargeback').set(lost).where('id', '=', open).execute()
  expect(await sweep()).toEqual([])
})
