import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Subject } from '../../adapters/conformance/subject.ts'
import { acceptedSecretTypes, adapterFor } from '../../adapters/registry.ts'
import { createReceiver } from '../../api/notifications/receiver.ts'
import { type ConnectedDatabase, connect } from '../../db/core/connect.ts'
import { migrate } from '../../db/core/migrate.ts'
import type { KeyRing } from '../../db/core/seal.ts'
import { recordVerdict } from '../../db/integrations/connections.ts'
import { createIntegration } from '../../db/integrations/integrations.ts'
import { createAccount } from '../../db/merchants/accounts.ts'
import { createMerchant } from '../../db/merchants/merchants.ts'
import type { SecretType, Source } from '../../domain/integration.ts'
import { createLog } from '../../process/log.ts'
import { fileProcesses } from '../../test/harness/file-processes.ts'
import type { OtherSide } from '../psp/other-side.ts'

/** A PSP account, and the credential that reaches it. */
export interface PspAccount {
  source: Source
  account: string
  secretType: SecretType
  secretPayload: Record<string, string>
}

/** What happens when the integration exists, with a database that is about to be copied. */
export type Fill = (db: ConnectedDatabase, integrationId: string) => Promise<void>

/**
 * Migrates an empty database and makes one verified integration in it. No connection stays open: the database can be
 * copied.
 * @returns the integration's id
 */
export async function prepareAccount(url: string, ring: KeyRing, psp: PspAccount, fill?: Fill): Promise<string> {
  const db = connect(url, { scope: 'owner', statementTimeoutMs: 0 })
  try {
    await migrate(db, 'sandbox')
    const { accountId } = await createAccount(db, { name: 'Benchmark' })
    const { merchantUuid } = await createMerchant(db, ring, {
      accountId,
      merchantName: 'Benchmark',
      websiteUrl: 'https://shop.example',
      contact: { email: 'owner@shop.example', firstName: 'Olga', lastName: 'Owner' },
    })
    const { integrationId } = await createIntegration(db, ring, {
      merchantUuid,
      source: psp.source,
      integrationName: psp.account,
      externalIdentifier: psp.account,
      secretType: psp.secretType,
      secretPayload: psp.secretPayload,
    })
    await recordVerdict(db, integrationId, { status: 'SUCCESSFUL', reason: null, pspAccount: psp.account })
    await fill?.(db, integrationId)
    return integrationId
  } finally {
    await db.destroy()
  }
}

/** The home account of a PSP's simulator. */
export function homeAccountOf({ simulator, definition, notificationSecret }: Subject): PspAccount {
  const { homeAccount, notificationSecret: signingSecret } = simulator.profile
  return {
    source: definition.source,
    account: homeAccount,
    secretType: simulator.secretType,
    secretPayload: {
      ...(notificationSecret && { [notificationSecret]: signingSecret }),
      ...(simulator.homeSecretPayload ?? simulator.secretPayload),
    },
  }
}

/**
 * Gives the simulator's home account `count` disputes. Where notifications are all there is to read they come through
 * the API's receiver.
 */
export function simulatedDisputes(otherSide: OtherSide, subject: Subject, ring: KeyRing, count: number): Fill {
  return async (db, integrationId) => {
    const { homeAccount: account } = subject.simulator.profile
    if (subject.definition.capabilities.listing !== 'inbox') return otherSide.fill({ count, account, notify: null })
    await using address = await openAddress(db, ring, integrationId)
    await otherSide.fill({ count, account, notify: address.url })
    if (address.refused() > 0) throw new Error(`${address.refused()} notifications were refused as not genuine`)
  }
}

/** The integration's notification URL, served by the API's own receiver. */
async function openAddress(db: ConnectedDatabase, ring: KeyRing, integrationId: string) {
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
