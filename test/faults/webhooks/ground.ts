import { sql } from 'kysely'
import { createMerchant } from '../../../db/merchants/merchants.ts'
import { addChargeback, addIntegration } from '../../integration/api/chargebacks/chargeback-rows.ts'
import { startTestbed, type Testbed } from '../testbed/prepare.ts'
import { type Consumer, openConsumer, type Script } from './receivers.ts'

const OTHER_SHOP = 'shop-2'

/** Two merchants with chargebacks, and the consumers of their events. */
export interface Ground extends AsyncDisposable {
  testbed: Testbed
  /** Chargebacks whose changes are sent, and some of an integration whose first load is not complete. */
  chargebacks: string[]
  consumers: Consumer[]
  /** Of the consumer that the faults hit. */
  script: Script
  /** The consumer that the faults hit. */
  victim: Consumer
  /** Position in the log, and timeline row, before anything was changed. */
  start: { position: bigint; row: bigint }
}

export async function prepareWebhooks(): Promise<Ground> {
  const testbed = await startTestbed({ disputes: {} })
  const { stack } = testbed
  const { db, ring, accountId, merchantUuid, referenceId } = stack
  const other = await createMerchant(db, ring, {
    ...{ accountId, merchantName: 'Other shop', websiteUrl: 'https://other.example.com', referenceId: OTHER_SHOP },
    contact: { email: 'owner@other.example.com', firstName: 'Oskar', lastName: 'Other' },
  })
  const chargebacks: string[] = []
  const add = async (merchant: string, count: number) => {
    const integrationId = await addIntegration(db, ring, merchant)
    const place = { merchantUuid: merchant, integrationId }
    for (let n = 0; n < count; n++) chargebacks.push(await addChargeback(db, place))
    return integrationId
  }
  const loaded = [await add(merchantUuid, 5), await add(other.merchantUuid, 3)]
  await sql`
    update integration set first_loaded_at = now(), last_successful_poll_at = now()
    where integration_id = any(${loaded}::uuid[])`.execute(db)
  await add(merchantUuid, 2)

  const script: Script = {}
  const both = [referenceId, OTHER_SHOP]
  const victim = await openConsumer(stack, {
    name: 'the victim',
    merchant: referenceId,
    merchants: [referenceId],
    script,
  })
  const consumers = [
    victim,
    await openConsumer(stack, { name: 'a second one', merchant: referenceId, merchants: [referenceId] }),
    await openConsumer(stack, { name: 'the other merchant', merchant: OTHER_SHOP, merchants: [OTHER_SHOP] }),
    await openConsumer(stack, { name: 'the account', merchants: both }),
    await openConsumer(stack, { name: 'a flaky one', merchants: both, flaky: true }),
  ]
  const { rows } = await sql<Ground['start']>`
    select position, (select coalesce(max(timeline_event_id), 0) from timeline_event) as row from event_state`.execute(
    db,
  )
  return {
    ...{ testbed, chargebacks, consumers, script, victim, start: rows[0] as Ground['start'] },
    async [Symbol.asyncDispose]() {
      await testbed[Symbol.asyncDispose]()
      for (const one of consumers) await one[Symbol.asyncDispose]()
    },
  }
}
