import { randomBytes, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connect } from '../../../db/core/connect.ts'
import { readKeyRing } from '../../../db/core/seal.ts'
import {
  claimIdempotencyKey,
  forgetExpiredKeys,
  type HeldKey,
  releaseIdempotencyKey,
  storeResponse,
} from '../../../db/merchants/idempotency-keys.ts'
import { createDatabase, type TestDatabase } from '../../harness/database.ts'

const ring = readKeyRing(`k:${randomBytes(32).toString('base64')}`)
const hash = Buffer.alloc(32)
const response = { status: 201, body: '{}' }
let database: TestDatabase
let db: ReturnType<typeof connect>
beforeAll(async () => {
  database = await createDatabase()
  db = connect(database.url, { scope: 'system', max: 3 })
})
afterAll(async () => {
  await db.destroy()
  await database[Symbol.asyncDispose]()
})

const newOwner = () => ({ credentialId: randomUUID(), merchantUuid: null, key: 'k' })
async function claim(owner: ReturnType<typeof newOwner>): Promise<HeldKey> {
  const claimed = await claimIdempotencyKey(db, ring, owner, hash)
  if (claimed.kind !== 'claimed') throw new Error(claimed.kind)
  return claimed.held
}
const age = (column: 'created_at' | 'expires_at', owner: { credentialId: string }) =>
  db
    .updateTable('idempotency_key')
    .set({ [column]: sql`now() - interval '2 minutes'` })
    .where('credential_id', '=', owner.credentialId)
    .execute()

describe('a request that resumes after another took over its key', () => {
  /** The key that the second request holds, and the stale one of the first. */
  async function takenOver() {
    const owner = newOwner()
    await claim(owner)
    await age('created_at', owner)
    const { claimedAt } = await db
      .selectFrom('idempotency_key')
      .select(sql<string>`created_at::text`.as('claimedAt'))
      .where('credential_id', '=', owner.credentialId)
      .executeTakeFirstOrThrow()
    return { owner, first: { ...owner, claimedAt }, second: await claim(owner) }
  }

  test('stores no response, so that its change is rolled back', async () => {
    const { owner, first, second } = await takenOver()
    expect(await storeResponse(db, ring, first, { status: 201, body: '"first"' })).toBe(false)
    expect(await storeResponse(db, ring, second, response)).toBe(true)
    expect(await claimIdempotencyKey(db, ring, owner, hash)).toEqual({ kind: 'completed', response })
  })

  test('does not release the other’s key', async () => {
    const { owner, first, second } = await takenOver()
    await releaseIdempotencyKey(db, first)
    expect((await claimIdempotencyKey(db, ring, owner, hash)).kind).toBe('running')
    await releaseIdempotencyKey(db, second)
    expect((await claimIdempotencyKey(db, ring, owner, hash)).kind).toBe('claimed')
  })
})

test('expired keys are deleted, the others stay', async () => {
  const [old, fresh] = [newOwner(), newOwner()]
  for (const owner of [old, fresh]) await storeResponse(db, ring, await claim(owner), response)
  await age('expires_at', old)
  expect(await forgetExpiredKeys(db, 10)).toBe(1)
  const left = db.selectFrom('idempotency_key').select('credential_id')
  expect(await left.where('credential_id', 'in', [old.credentialId, fresh.credentialId]).execute()).toEqual([
    { credential_id: fresh.credentialId },
  ])
})
