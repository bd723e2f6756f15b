import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { eraseEndpoints } from '../../../db/erasure/erase-endpoints.ts'
import { createRemoval, takeRemoval } from '../../../db/erasure/removals.ts'
import { openWebhooks } from './webhook-stage.ts'

test('an erased person leaves description and address of endpoints; such an address is disabled', async () => {
  await using webhooks = await openWebhooks()
  const { db, ring, merchantUuid, credentialId } = webhooks.stage
  const kept = await webhooks.create('https://shop.example/hooks', { description: 'Orders' })
  const named = await webhooks.create('https://shop.example/hooks', { description: 'Ask jane@person.example' })
  const moved = await webhooks.create('https://shop.example/hooks?for=jane%40person.example')
  const who = { email: 'jane@person.example', firstName: 'Jane', lastName: 'Person' }
  const { removalId } = await createRemoval(db, ring, { merchantUuid, credentialId, who })
  const removal = await takeRemoval(db, ring, removalId)
  if (!removal) throw new Error('the removal is missing')
  expect(await eraseEndpoints(db, removal)).toBe(2)
  expect(await eraseEndpoints(db, removal)).toBe(0)
  expect(await webhooks.read(kept.id)).toMatchObject({ description: 'Orders', state: 'enabled' })
  expect(await webhooks.read(named.id)).not.toHaveProperty('description')
  expect(await webhooks.read(moved.id)).toMatchObject({
    ...{ url: 'https://shop.example', state: 'disabled', disabledReason: 'address_erased' },
  })
  const { rows } = await sql<{ text: string }>`
    select string_agg(w::text, ' ') as text from webhook_endpoint w`.execute(db)
  expect(rows[0]?.text).not.toMatch(/jane/i)
})
