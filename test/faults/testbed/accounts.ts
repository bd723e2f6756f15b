import type { Database } from '../../../db/core/connect.ts'
import { enqueue, removeMessage } from '../../../db/core/outbox.ts'
import { recordVerdict } from '../../../db/integrations/connections.ts'
import { createIntegration } from '../../../db/integrations/integrations.ts'
import type { DisputeRecord } from '../../../simulators/engine/contract.ts'
import { createDisputes, type Order } from '../../../simulators/engine/create.ts'
import type { Connected } from './connected.ts'
import type { Testbed } from './prepare.ts'
import { type AdapterName, simulated } from './psps.ts'

let accounts = 0

/** In each PSP's format. */
function nameOf(adapter: AdapterName): string {
  accounts += 1
  if (adapter === 'paypal') return `TORTURE${accounts}`
  return adapter === 'stripe' ? `acct_torture${accounts}` : `recouptorture${accounts}`
}

/** A new account with disputes of every kind that this PSP has. */
export function openAccount(
  testbed: Testbed,
  adapter: AdapterName,
  order: Partial<Order> & { count: number },
): { account: string; disputes: DisputeRecord[] } {
  const account = nameOf(adapter)
  return { account, disputes: createDisputes(testbed.engines[adapter], { ...order, account }) }
}

/** Stores a verified integration and polls it. `prepare` runs in the same transaction, before the first poll. */
export async function connectAccount(
  { stack, keys }: Testbed,
  { adapter, account }: { adapter: AdapterName; account: string },
  prepare: (trx: Database, integrationId: string) => Promise<void> = async () => undefined,
): Promise<Connected> {
  const secret = keys.issueOwn({ adapter, account, integrationId: '' })
  return stack.db.transaction().execute(async (trx) => {
    const { integrationId, outboxId } = await createIntegration(trx, stack.ring, {
      merchantUuid: stack.merchantUuid,
      source: adapter,
      integrationName: account,
      externalIdentifier: account,
      secretType: simulated(adapter).definition.secretType,
      secretPayload: secret.payload,
    })
    keys.replaced({ adapter, account, integrationId }, secret)
    // Credential checks are not tested here.
    await removeMessage(trx, outboxId)
    const { homeAccount } = simulated(adapter).definition.profile
    // A Stripe key belongs to one account and gives access to others.
    const pspAccount = adapter === 'stripe' ? homeAccount : account
    await recordVerdict(trx, integrationId, { status: 'SUCCESSFUL', reason: null, pspAccount })
    await prepare(trx, integrationId)
    await enqueue(trx, { kind: 'sync_schedule', payload: { integrationId } })
    return { adapter, account, integrationId }
  })
}

/** Deletes the schedules, so that later cells have the worker to themselves. */
export async function disconnect({ stack }: Testbed, integrationIds: readonly string[]): Promise<void> {
  if (integrationIds.length === 0) return
  await stack.db
    .updateTable('integration')
    .set({ status: 'INACTIVE' })
    .where('integration_id', 'in', [...integrationIds])
    .execute()
  for (const integrationId of integrationIds)
    await enqueue(stack.db, { kind: 'sync_schedule', payload: { integrationId } })
}
