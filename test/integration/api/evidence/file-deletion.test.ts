import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { requestDraft, storeDraft } from '../../../../db/evidence/evidence-drafts.ts'
import { answerStages } from '../../../../domain/evidence/answer-stages.ts'
import { addChargeback, addEvidenceFile, type Place, stageWithIntegration } from '../chargebacks/chargeback-rows.ts'
import type { Stage } from '../stage.ts'

let stage: Stage
let at: Place
beforeAll(async () => {
  ;({ stage, at } = await stageWithIntegration())
})
afterAll(() => stage[Symbol.asyncDispose]())

const newFile = () => addEvidenceFile(stage, stage.merchantUuid)
const remove = (fileId: string, headers = {}) => stage.call('DELETE', `/v1/files/${fileId}`, { headers })
const rowOf = (fileId: string) =>
  stage.db.selectFrom('file').selectAll().where('file_id', '=', fileId).executeTakeFirst()
const bytesUsed = async () =>
  (
    await stage.db
      .selectFrom('account_usage')
      .select('file_bytes')
      .where('account_id', '=', stage.accountId)
      .executeTakeFirstOrThrow()
  ).file_bytes

/** A file of a submission with this status, whose chargeback has this PSP status. */
async function submitted(status: string, pspStatus: string): Promise<string> {
  const [id, fileId] = [await addChargeback(stage.db, at), await newFile()]
  const { body } = await stage.call('POST', `/v1/chargebacks/${id}/evidence/submit`, { body: { fileId } })
  await stage.db.updateTable('command').set({ status }).where('command_id', '=', body.id).execute()
  await stage.db.updateTable('chargeback').set({ psp_status: pspStatus }).where('id', '=', id).execute()
  return fileId
}

describe('DELETE /files/{id}', () => {
  it('removes the file and frees its bytes in the account’s quota; a second call returns 404', async () => {
    const before = await bytesUsed().catch(() => 0n)
    const fileId = await newFile()
    expect(await bytesUsed()).toBeGreaterThan(before)
    expect(await remove(fileId)).toMatchObject({ status: 200, text: '' })
    expect(await rowOf(fileId)).toBeUndefined()
    expect(await bytesUsed()).toBe(before)
    expect(await remove(fileId)).toMatchObject({ status: 404, body: { code: 'file_not_found' } })
  })

  it.each([
    ['created', 'needs_response'],
    ['inProgress', 'needs_response'],
    ['inProgress', 'lost'],
    ['succeeded', 'under_review'],
  ])('is refused while a submission is %s and its chargeback %s', async (status, pspStatus) => {
    const fileId = await submitted(status, pspStatus)
    expect(await remove(fileId)).toMatchObject({
      status: 400,
      body: { code: 'file_in_use', message: expect.stringContaining('evidence submission') },
    })
    expect((await rowOf(fileId))?.content_sealed).not.toBeNull()
  })

  it.each([
    ['failed', 'needs_response'],
    ['succeeded', 'won'],
  ])('keeps the hash for a submission that %s when the chargeback is %s', async (status, pspStatus) => {
    const fileId = await submitted(status, pspStatus)
    expect((await remove(fileId)).status).toBe(200)
    expect(await rowOf(fileId)).toMatchObject({ content_sealed: null, name_sealed: null, sha256: expect.any(Buffer) })
    expect(await remove(fileId)).toMatchObject({ status: 404 })
  })

  it('is refused while a dry run is running', async () => {
    const [chargebackId, fileId] = [await addChargeback(stage.db, at), await newFile()]
    const contestStages = () => answerStages({ stages: ['chargeback'] } as never)
    const request = { merchantUuid: at.merchantUuid, chargebackId, fileId, now: new Date(), contestStages }
    const { planId } = await requestDraft(stage.db, request)
    expect(await remove(fileId)).toMatchObject({ status: 400, body: { code: 'file_in_use' } })
    await storeDraft(stage.db, planId, { refused: null, steps: [] } as never)
    expect((await remove(fileId)).status).toBe(200)
  })

  it.each(['another merchant’s', 'a missing', 'an erased'])('returns the same 404 for %s file', async (which) => {
    const other = await stage.newMerchant(stage.accountId)
    const fileId =
      which === 'a missing'
        ? randomUUID()
        : await addEvidenceFile(stage, which === 'an erased' ? stage.merchantUuid : other.merchantUuid)
    if (which === 'an erased')
      await stage.db
        .updateTable('file')
        .set({ erased_at: new Date(), content_sealed: null, name_sealed: null })
        .where('file_id', '=', fileId)
        .execute()
    const before = await rowOf(fileId)
    expect(await remove(fileId)).toMatchObject({ status: 404, body: { code: 'file_not_found' } })
    expect(await rowOf(fileId)).toEqual(before)
  })

  it('returns the same response for a repeated Idempotency-Key', async () => {
    const headers = { 'idempotency-key': randomUUID() }
    const fileId = await newFile()
    expect((await remove(fileId, headers)).status).toBe(200)
    const again = await remove(fileId, headers)
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true'])
  })
})
