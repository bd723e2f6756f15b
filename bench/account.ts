import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Subject } from '../adapters/conformance/subject.ts'
import { acceptedSecretTypes, adapterFor } from '../adapters/registry.ts'
import { createReceiver } from '../api/notifications/receiver.ts'
import { connect } from '../db/core/connect.ts'
import { migrate } from '../db/core/migrate.ts'
import type { KeyRing } from '../db/core/seal.ts'
import { recordVerdict } from '../db/integrations/connections.ts'
import { createIntegration } from '../db/integrations/integrations.ts'
import { createAccount } from '../db/merchants/accounts.ts'
import { createMerchant } from '../db/merchants/merchants.ts'
import { createLog } from '../process/log.ts'
import { fileProcesses } from '../test/harness/file-processes.ts'
import type { OtherSide } from './other-side.ts'

/**
 * Migrates an empty database and makes one verified integration of the simulated PSP in it, which has `count` disputes.
 * Where notifications are all there is to read they come through the API's receiver. No connection stays open: the
 * database can be copied.
 * @returns the integration's id
 */
export async function prepareAccount(
  url: string,
  ring: KeyRing,
  { simulator, definition, notificationSecret }: Subject,
  otherSide: OtherSide,
  count: number,
): Promise<string> {
  const db = connect(url, { scope: 'owner', statementTimeoutMs: 0 })
  try {
    await migrate(db, 'sandbox')
    const { homeAccount, notificationSecret: signingSecret } = simulator.profile
    const { accountId } = await createAccount(db, { name: 'Benchmark' })
    const { merchantUuid } = await createMerchant(db, ring, {
      accountId,
      merchantName: 'Benchmark',
      websiteUrl: 'https://shop.example',
      contact: { email: 'owner@shop.example', firstName: 'Olga', lastName: 'Owner' },
    })
    const { integrationId } = await createIntegration(db, ring, {
      merchantUuid,
      source: definition.source,
      integrationName: definition.displayName,
      externalIdentifier: homeAccount,
      secretType: simulator.secretType,
      secretPayload: {
        ...(notificationSecret && { [notificationSecret]: signingSecret }),
        ...(simulator.homeSecretPayload ?? simulator.secretPayload),
      },
    })
    await recordVerdict(db, integrationId, { status: 'SUCCESSFUL', reason: null, pspAccount: homeAccount })
    if (definition.capabilities.listing !== 'inbox') {
      await otherSide.fill({ count, account: homeAccount, notify: null })
      return integrationId
    }
    await using address = await openAddress(db, ring, integrationId)
    await otherSide.fill({ count, account: homeAccount, notify: address.url })
    if (address.refused() > 0) throw new Error(`${address.refused()} notifications were refused as not genuine`)
    return integrationId
  } finally {
    await db.destroy()
  }
}

/** The integration's notification URL, served by the API's own receiver. */
async function openAddress(db: ReturnType<typeof connect>, ring: KeyRing, integrationId: string) {
  const receiver = createReceiver({
    db,
    ring,
    files: fileProcesses,
    log: createLog({ name: 'bench', level: 'silent' }),
    environment: 'sandbox',
    rateLimitPerMinute: Number.POSITIVE_INFINITY,
    dispatch: async () => undefined,
    adapters: { adapterFor, acceptedSecretTypes },
  })
  let refused = 0
  const take = async (request: IncomingMessage): Promise<string | null> => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const headers = request.headers as Record<string, string | undefined>
    const read = async () => Buffer.concat(chunks).toString('utf8')
    const count = async () => {}
    const counts = { countVerificationCall: count, countGenuine: count }
    return receiver.receive(integrationId, { headers, address: '127.0.0.1', read, discard: count, ...counts })
  }
  const server = createServer((request, response) => {
    take(request)
      .then((answer) => {
        if (answer === null) refused++
        response.writeHead(200).end(answer ?? '')
      })
      // The PSP repeats the delivery.
      .catch(() => response.writeHead(503).end())
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    refused: () => refused,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
