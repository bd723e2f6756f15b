import { createIntegration } from '../../../db/integrations/integrations.ts'
import { openScene, subjectOf } from '../workflows/commands/submission-scene.ts'

export type Connections = Awaited<ReturnType<typeof openConnections>>

/** A simulated PSP whose account one merchant has connected and verified, and functions that connect it again. */
export async function openConnections(source: string) {
  const { definition, simulator, notificationSecret } = subjectOf(source)
  const scene = await openScene(subjectOf(source))
  const { db, ring, merchantUuid, accountId } = scene.stage

  const verify = async (integrationId: string) => {
    await scene.run(scene.activities.checkCredentials, { integrationId })
    return row(integrationId)
  }
  const row = (integrationId: string) =>
    db.selectFrom('integration').selectAll().where('integration_id', '=', integrationId).executeTakeFirstOrThrow()
  const poll = (integrationId: string) => scene.run(scene.activities.ingestPages, { integrationId } as never)
  const chargebacks = (integrationId: string) =>
    db
      .selectFrom('chargeback')
      .selectAll()
      .where('integration_id', '=', integrationId)
      .orderBy('chargeback_id')
      .execute()

  /** Connects the same PSP account again, without a verification. */
  const connect = async (merchant: string, more: Partial<Parameters<typeof createIntegration>[2]> = {}) =>
    (
      await createIntegration(db, ring, {
        merchantUuid: merchant,
        source: definition.source,
        integrationName: 'Once more',
        externalIdentifier: simulator.profile.homeAccount,
        secretType: simulator.secretType,
        secretPayload: {
          ...(notificationSecret && { [notificationSecret]: simulator.profile.notificationSecret }),
          ...(simulator.homeSecretPayload ?? simulator.secretPayload),
        },
        ...more,
      })
    ).integrationId
  const deactivate = (integrationId: string) =>
    db.updateTable('integration').set({ status: 'INACTIVE' }).where('integration_id', '=', integrationId).execute()
  await verify(scene.integrationId)
  return {
    ...scene,
    merchantUuid,
    verify,
    row,
    poll,
    chargebacks,
    connect,
    deactivate,
    newMerchant: async () => (await scene.stage.newMerchant(accountId)).merchantUuid,
    [Symbol.asyncDispose]: () => scene[Symbol.asyncDispose](),
  }
}
