import type { KyselyPlugin } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readDraft } from '../../../../db/packages/drafts.ts'
import { addCase, buildAgain } from '../../console/cases.ts'
import { openShop } from '../../console/shop.ts'

let shop: Awaited<ReturnType<typeof openShop>>
beforeAll(async () => {
  shop = await openShop()
})
afterAll(() => shop[Symbol.asyncDispose]())

it('a draft and what prevents its submission are of one moment, also when a package is stored between the reads', async () => {
  const { db, ring, merchantUuid } = shop.stage
  const chargebackId = await addCase(shop)
  let isStored = false
  const storesBetween: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      if (!isStored) {
        isStored = true
        await db
          .updateTable('chargeback')
          .set({ package_wanted_at: new Date() })
          .where('id', '=', chargebackId)
          .execute()
        await buildAgain(shop, chargebackId, { missing: [] })
      }
      return result
    },
  }
  const now = new Date()
  const read = await readDraft(db.withPlugin(storesBetween), ring, { merchantUuid, chargebackId, now })
  expect(read.draft).toMatchObject({ version: 1, packageId: read.automatic.packageId })
  const later = await readDraft(db, ring, { merchantUuid, chargebackId, now })
  expect(later.draft).toMatchObject({ version: 2, packageId: later.automatic.packageId })
})
