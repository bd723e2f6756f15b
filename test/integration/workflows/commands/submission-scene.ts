import type { AddressInfo } from 'node:net'
import { PDFDocument } from '@cantoo/pdf-lib'
import { serve } from '@hono/node-server'
import { ApplicationFailure } from '@temporalio/common'
import { MockActivityEnvironment } from '@temporalio/testing'
import { DefaultLogger } from '@temporalio/worker'
import type { Subject } from '../../../../adapters/conformance/subject.ts'
import { SUBJECTS } from '../../../../adapters/conformance/subjects.ts'
import { adapterFor } from '../../../../adapters/registry.ts'
import { storeFile } from '../../../../db/evidence/files.ts'
import { claimAccount } from '../../../../db/integrations/account-claims.ts'
import { recordVerdict } from '../../../../db/integrations/connections.ts'
import { createIntegration } from '../../../../db/integrations/integrations.ts'
import { startSimulator } from '../../../../simulators/engine/serve.ts'
import type { ActivityDeps } from '../../../../workflows/activities/deps.ts'
import { connectLazily } from '../../../../workflows/starters/temporal.ts'
import { activitiesWithFaultPoints } from '../../../harness/fault-points/in-process.ts'
import type { FaultPoint } from '../../../harness/fault-points/points.ts'
import { fileProcesses } from '../../../harness/file-processes.ts'
import { until } from '../../../harness/until.ts'
import { createStage } from '../../api/stage.ts'

// Refused attempts are what these tests are about: no line for each of them.
const logger = new DefaultLogger('ERROR')

/** The adapter and simulator of a PSP. */
export const subjectOf = (source: string) => SUBJECTS.find(({ definition }) => definition.source === source) as Subject

/** A PDF that can be read, with that many pages. */
export async function pdfOf(pages: number): Promise<Buffer> {
  const document = await PDFDocument.create()
  for (let page = 1; page <= pages; page++) document.addPage().drawText(`Page ${page} of ${pages}`)
  return Buffer.from(await document.save())
}

export type Scene = Awaited<ReturnType<typeof openScene>>

/** One integration of a simulated PSP, the interface, and the activities without Temporal: steps run as the test says. */
export async function openScene(subject: Subject, override: Partial<ActivityDeps> = {}) {
  const { definition, simulator, notificationSecret } = subject
  const running = await startSimulator(simulator)
  const baseUrls = { [definition.source]: running.url }
  let drafting = async (_planId: string) => {}
  const draft = async ({ planId }: { planId: string }) => {
    await drafting(planId)
    return true
  }
  const stage = await createStage({ baseUrls, draft })
  const server = serve({ fetch: stage.app.fetch, port: 0, hostname: '127.0.0.1' })
  await new Promise((resolve) => server.once('listening', resolve))
  const { integrationId } = await createIntegration(stage.db, stage.ring, {
    merchantUuid: stage.merchantUuid,
    source: definition.source,
    integrationName: definition.displayName,
    externalIdentifier: simulator.profile.homeAccount,
    secretType: simulator.secretType,
    secretPayload: {
      ...(notificationSecret && { [notificationSecret]: simulator.profile.notificationSecret }),
      ...(simulator.homeSecretPayload ?? simulator.secretPayload),
    },
  })
  await recordVerdict(stage.db, integrationId, {
    ...{ status: 'SUCCESSFUL', reason: null, pspAccount: simulator.profile.homeAccount },
  })
  const account = simulator.profile.homeAccount
  const { merchantUuid } = stage
  await stage.db
    .transaction()
    .execute((trx) =>
      claimAccount(trx, { integrationId, merchantUuid, source: definition.source, account, subAccounts: [] }),
    )
  const deps: ActivityDeps = {
    db: stage.db,
    ring: stage.ring,
    files: fileProcesses,
    temporal: connectLazily('127.0.0.1:1', 'none'),
    adapterFor,
    environment: 'sandbox',
    baseUrls,
    polling: { intervalSeconds: 60, pace: { commandMs: 5_000, heartbeatMs: 5_000, recheckMs: 1_000, retryMs: 100 } },
    log: { info() {}, warn() {} },
    now: () => new Date(),
    counted() {},
    ...override,
  }
  const atFaultPoint = new Map<FaultPoint, () => Promise<void>>()
  const activities = activitiesWithFaultPoints(deps, async (point) => atFaultPoint.get(point)?.())
  /** An activity of the workflow, in a context of its own. */
  const run = <Input, Result>(activity: (input: Input) => Promise<Result>, input: Input): Promise<Result> =>
    new MockActivityEnvironment({ startToCloseTimeoutMs: 20_000, heartbeatTimeoutMs: 20_000 }, { logger }).run(
      activity,
      input,
    )

  drafting = (planId) => run(activities.draftEvidencePlan, { planId })

  async function control(method: string, path: string, body?: unknown) {
    const answer = await fetch(`${running.controlUrl}${path}`, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    // biome-ignore lint/suspicious/noExplicitAny: judged by the test
    return (await answer.json()) as any
  }
  if (definition.capabilities.listing === 'inbox')
    await control('POST', '/subscriptions', {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/notifications/${integrationId}`,
      backlog: true,
    })

  const chargeback = (ref: string) =>
    stage.db.selectFrom('chargeback').selectAll().where('chargeback_id', '=', ref).executeTakeFirst()
  const poll = () =>
    run(activities.ingestPages, { integrationId, merchantUuid: '', source: '', pace: deps.polling.pace } as never)

  return {
    stage,
    deps,
    /** What happens when an activity comes to a fault point. */
    atFaultPoint,
    activities,
    run,
    control,
    chargeback,
    poll,
    integrationId,
    controlUrl: running.controlUrl,
    engine: running.engine,
    account: simulator.profile.homeAccount,
    effects: async (ref: string, kind: string): Promise<{ details: { sha256: string } }[]> =>
      (await control('GET', `/effects?ref=${ref}&kind=${kind}`)).effects,

    /** A new dispute that waits for an answer, ingested. */
    async open(order: Record<string, unknown> = {}): Promise<{ ref: string; id: string }> {
      const wanted = { status: 'needs_response', stage: 'chargeback', reason: '10.4', dueInHours: 200, ...order }
      const { disputes } = await control('POST', '/disputes', { count: 1, ...wanted })
      const { ref } = disputes[0]
      // Some are told of by several notifications, one after the other.
      const found = await until('the dispute is ingested as it stands', async () => {
        await poll()
        const row = await chargeback(ref)
        return row?.psp_status === wanted.status && row.lifecycle_stage === wanted.stage && row
      })
      return { ref, id: found ? found.id : '' }
    },

    /** A file of the merchant's. */
    async file(content: Buffer, type = 'application/pdf', metadata: object | null = null): Promise<string> {
      const { fileId } = await storeFile(stage.db, stage.ring, {
        ...{ merchantUuid: stage.merchantUuid, name: 'proof.of.mine', type, content, addresses: [] },
        purpose: type === 'application/pdf' ? 'evidence_file' : 'evidence_image',
        metadata: metadata && JSON.stringify(metadata),
      })
      return fileId
    },

    /** Asks for a submission through the interface. */
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
          const { toFailure } = await import('../../../../workflows/activities/failures.ts')
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

    /** Operation 9. */
    async read(id: string, submitEvidenceId: string) {
      return (await stage.call('GET', `/v1/chargebacks/${id}/evidence/submit/${submitEvidenceId}`)).body
    },

    async [Symbol.asyncDispose]() {
      server.close()
      await running[Symbol.asyncDispose]()
      await stage[Symbol.asyncDispose]()
    },
  }
}
