import { createIntegration } from '../../../db/integrations/integrations.ts'
import { openFixture, subjectOf } from '../workflows/commands/submission-fixture.ts'

export type Connections = Awaited<ReturnType<typeof openConnections>>

/** A simulated PSP whose account one merchant has connected and verified, and functions that connect it again. */
export async function openConnections(source: string) {
  const { definition, simulator, notificationSecret } = subjectOf(source)
  const fixture = await openFixture(subjectOf(source))
  const { db, ring, merchantUuid, accountId } = fixture.stage

  const verify = async (integrationId: string) => {
    await fixture.run(fixture.activities.checkCredentials, { integrationId })
    return row(integrationId)
  }
  const row = (integrationId: string) =>
    db.selectFrom('integration').selectAll().where('integration_id', '=', integrationId).executeTakeFirstOrThrow()
  const poll = (integrationId: string) => fixture.run(fixture.activities.ingestPages, { integrationId } as never)
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
  await verify(fixture.integrationId)
  return {
    ...fixture,
    merchantUuid,
    verify,
    row,
    poll,
    chargebacks,
    connect,
    deactivate,
    newMerchant: async () => (await fixture.stage.newMerchant(accountId)).merchantUuid,
    [Symbol.asyncDispose]: () => fixture[Symbol.asyncDispose](),
  }
}
