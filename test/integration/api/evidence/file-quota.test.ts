import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { changeSettings } from '../../../../db/merchants/account-settings.ts'
import { createMetrics } from '../../../../workflows/worker/metrics.ts'
import { addChargeback, addEvidenceFile, addIntegration } from '../chargebacks/chargeback-rows.ts'
import { createStage, type Stage } from '../stage.ts'
import { file, pdf, purpose, uploader } from './uploads.ts'

let stage: Stage
let uploads: ReturnType<typeof uploader>
beforeAll(async () => {
  stage = await createStage()
  uploads = uploader(stage)
})
afterAll(() => stage[Symbol.asyncDispose]())

const upload = () => uploads.upload([file(), purpose()])
/** The worker's gauge of the account with the highest use of its quota. */
const quotaMetric = async () => {
  const text = await createMetrics(stage.db, { ahead: () => null }, 'http://127.0.0.1:1/').render()
  return /^file_quota_used_ratio (\S+)$/m.exec(text)?.[1]
}
const allow = (settings: Record<string, number | null>) => changeSettings(stage.db, stage.accountId, settings)

describe('finding 5: quotas of files', () => {
  it('an upload beyond the account’s quota of bytes is refused and not stored', async () => {
    await allow({ fileBytes: pdf.length * 2 })
    const first = await upload()
    expect([first.status, (await upload()).status]).toEqual([201, 201])
    const refused = await upload()
    expect(refused).toMatchObject({
      status: 400,
      body: { code: 'file_quota_exceeded', message: expect.stringContaining((pdf.length * 2).toLocaleString('en-US')) },
    })
    expect(await uploads.rows()).toBe(2)
    expect(await quotaMetric()).toBe('1')
    // All merchants of the account share it; another account has its own.
    const sister = await stage.newMerchant(stage.accountId)
    await expect(addEvidenceFile(stage, sister.merchantUuid)).rejects.toMatchObject({ code: 'file_quota_exceeded' })

    await stage.call('DELETE', `/v1/files/${first.body.id}`)
    expect((await upload()).status).toBe(201)
    await allow({ fileBytes: null })
    expect((await upload()).status).toBe(201)
  })

  it('concurrent uploads cannot exceed it together', async () => {
    const used = await uploads.rows()
    await allow({ fileBytes: pdf.length * (used + 1) })
    const statuses = (await Promise.all([1, 2, 3, 4].map(upload))).map(({ status }) => status)
    expect(statuses.sort()).toEqual([201, 400, 400, 400])
    await allow({ fileBytes: null })
  })

  it('the number of files of a chargeback is limited, dry runs included', async () => {
    await allow({ filesPerChargeback: 2 })
    const { db, ring, merchantUuid } = stage
    const id = await addChargeback(db, { merchantUuid, integrationId: await addIntegration(db, ring, merchantUuid) })
    const [one = '', two = '', three = ''] = await Promise.all(
      [1, 2, 3].map(() => addEvidenceFile(stage, merchantUuid)),
    )
    stage.deps.draft = async () => false
    const plan = (fileId: string) =>
      stage.call('POST', `/v1/chargebacks/${id}/evidence/plan`, { body: { fileId } }, stage.secondApp())
    const submit = (fileId: string) => stage.call('POST', `/v1/chargebacks/${id}/evidence/submit`, { body: { fileId } })
    expect([(await plan(one)).status, (await plan(two)).status, (await plan(one)).status]).toEqual([503, 503, 503])
    for (const refused of [await plan(three), await submit(three)])
      expect(refused).toMatchObject({ status: 400, body: { code: 'too_many_files' } })
    expect((await submit(two)).status).toBe(201)
  })
})
