import { PDFDocument } from '@cantoo/pdf-lib'
import { ApplicationFailure } from '@temporalio/common'
import type { Subject } from '../../../../adapters/conformance/subject.ts'
import type { ApiDeps } from '../../../../api/context.ts'
import { storeFile } from '../../../../db/evidence/files.ts'
import { claimAccount } from '../../../../db/integrations/account-claims.ts'
import type { ActivityDeps } from '../../../../workflows/activities/deps.ts'
import { toFailure } from '../../../../workflows/activities/failures.ts'
import { openInProcess, subjectOf } from '../../../harness/in-process.ts'
import { until } from '../../../harness/until.ts'

/** A PDF that can be read, with that many pages. */
export async function pdfOf(pages: number): Promise<Buffer> {
  const document = await PDFDocument.create()
  for (let page = 1; page <= pages; page++) document.addPage().drawText(`Page ${page} of ${pages}`)
  return Buffer.from(await document.save())
}

export { subjectOf }

export type Fixture = Awaited<ReturnType<typeof openFixture>>

/** The in-process world with one integration, for commands: the test runs their steps. */
export async function openFixture(subject: Subject, override: Partial<ActivityDeps> = {}, api: Partial<ApiDeps> = {}) {
  const { source, capabilities } = subject.definition
  const draft = async ({ planId }: { planId: string }) => {
    await run(activities.draftEvidencePlan, { planId })
    return true
  }
  const world = await openInProcess(subject, { api: { draft, ...api }, activities: override, faultPoints: true })
  const { stage, deps, activities, run, control, account } = world
  const { merchantUuid } = stage
  const integrationId = await world.connect()
  await stage.db
    .transaction()
    .execute((trx) => claimAccount(trx, { integrationId, merchantUuid, source, account, subAccounts: [] }))
  if (capabilities.listing === 'inbox')
    await control('POST', '/subscriptions', { url: world.notificationUrl(integrationId), backlog: true })

  const chargeback = (ref: string) =>
    stage.db.selectFrom('chargeback').selectAll().where('chargeback_id', '=', ref).executeTakeFirst()
  const poll = () =>
    run(activities.ingestPages, { integrationId, merchantUuid: '', source: '', pace: deps.polling.pace } as never)

  return {
    ...world,
    chargeback,
    poll,
    integrationId,
    effects: async (ref: string, kind: string): Promise<{ details: { sha256: string } }[]> =>
      (await control('GET', `/effects?ref=${ref}&kind=${kind}`)).effects,

    /** A new dispute that needs a response, ingested. */
    async open(order: Record<string, unknown> = {}): Promise<{ ref: string; id: string }> {
      const wanted = { status: 'needs_response', stage: 'chargeback', reason: '10.4', dueInHours: 200, ...order }
      const { disputes } = await control('POST', '/disputes', { count: 1, ...wanted })
      const { ref } = disputes[0]
      // Some PSPs report a dispute by several notifications, one after the other.
      const found = await until('the dispute is ingested completely', async () => {
        await poll()
        const row = await chargeback(ref)
        return row?.psp_status === wanted.status && row.lifecycle_stage === wanted.stage && row
      })
      return { ref, id: found ? found.id : '' }
    },

    /** Has Stripe ask for earlier purchases as compelling evidence. @returns the dispute as it was */
    async askForPurchases(ref: string) {
      const { object } = await control('GET', `/disputes/${ref}`)
      const enhanced_eligibility = { visa_compelling_evidence_3: { status: 'requires_action', required_actions: [] } }
      const fields = { evidence_details: { ...object.evidence_details, enhanced_eligibility } }
      await control('PATCH', `/disputes/${ref}`, { fields })
      return object
    },

    /** A file of the merchant's. @param addresses of the persons whom it shows */
    async file(
      content: Buffer,
      type = 'application/pdf',
      metadata: object | null = null,
      addresses: string[] = [],
    ): Promise<string> {
      const { fileId } = await storeFile(stage.db, stage.ring, {
        ...{ merchantUuid: stage.merchantUuid, name: 'proof.of.mine', type, content, addresses },
        purpose: type === 'application/pdf' ? 'evidence_file' : 'evidence_image',
        metadata: metadata && JSON.stringify(metadata),
      })
      return fileId
    },

    /** Requests a submission through the API. */
    async request(id: string, fileId: string): Promise<string> {
      const { status, body } = await stage.call('POST', `/v1/chargebacks/${id}/evidence/submit`, { body: { fileId } })
      if (status !== 201) throw new Error(`refused: ${JSON.stringify(body)}`)
      return body.id
    },

    /** Everything the workflow does for a submission, with its retries. */
    async work(submitEvidenceId: string): Promise<void> {
      for (let attempt = 1; ; attempt++) {
        try {
          const plan = await run(activities.planEvidence, { submitEvidenceId })
          for (let step = 0; step < plan.uploads; step++) await run(activities.uploadFile, { submitEvidenceId, step })
          if (plan.staged) await run(activities.stageAtPsp, { submitEvidenceId })
          await run(activities.submitAtPsp, { submitEvidenceId })
          return await run(activities.recordSubmission, { submitEvidenceId })
        } catch (error) {
          const failure = toFailure(error)
          if (failure instanceof ApplicationFailure && failure.nonRetryable) {
            const refusal = { kind: failure.type ?? '', message: failure.message }
            await run(activities.recordRefusal, { commandId: submitEvidenceId, ...refusal })
            return
          }
          if (attempt === 8) throw error
        }
      }
    },

    /** The status of a submission, through the API. */
    async read(id: string, submitEvidenceId: string) {
      return (await stage.call('GET', `/v1/chargebacks/${id}/evidence/submit/${submitEvidenceId}`)).body
    },
  }
}
