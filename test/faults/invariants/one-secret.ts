import { isDeepStrictEqual } from 'node:util'
import { open, sealContext } from '../../../db/core/seal.ts'
import type { Connected } from '../testbed/connected.ts'
import type { Testbed } from '../testbed/prepare.ts'

/**
 * An integration calls the PSP with exactly one secret, the last one that was accepted with 200; no candidate is left;
 * and of former secrets only the parts that verify deliveries are kept.
 * @returns violations
 */
export async function secretsTrue({ stack, keys }: Testbed, connected: Connected): Promise<string[]> {
  const { db, ring, merchantUuid } = stack
  const { adapter, integrationId } = connected
  const of = { integrationId, source: adapter, merchantUuid }
  const wrong: string[] = []
  const row = await db
    .selectFrom('integration')
    .select(['status', 'status_reason', 'secret_sealed'])
    .where('integration_id', '=', integrationId)
    .executeTakeFirstOrThrow()
  const now = JSON.parse(open(ring, row.secret_sealed, sealContext.integrationSecret(of)))
  if (!isDeepStrictEqual(now, keys.of(connected).payload))
    wrong.push('I12: its secret is not the one that was accepted last')
  if (row.status !== 'SUCCESSFUL') wrong.push(`I3: the integration is ${row.status}: ${row.status_reason}`)
  const candidates = await db
    .selectFrom('secret_rotation')
    .select(['outcome', 'secret_sealed'])
    .where('integration_id', '=', integrationId)
    .execute()
  const left = candidates.filter((one) => one.outcome === null || one.secret_sealed !== null).length
  if (left > 0) wrong.push(`I14: ${left} candidate secrets are left`)
  const kept = await db
    .selectFrom('kept_verification')
    .select(['rotation_id', 'sealed'])
    .where('integration_id', '=', integrationId)
    .execute()
  const { key, signing } = keys.of(connected)
  for (const { rotation_id, sealed } of kept) {
    const text = open(ring, sealed, sealContext.keptVerification(rotation_id))
    const names = Object.keys(JSON.parse(text))
    // If the key itself signs deliveries, it is stored.
    if (key !== signing && names.some((name) => /apiKey|clientSecret|secretKey/.test(name)))
      wrong.push(`I12: ${names.join(', ')} of an old secret are stored`)
  }
  return wrong
}
