import type { KyselyPlugin } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readDraft } from '../../../../db/packages/drafts.ts'
import { addCase, buildAgain } from '../../console/cases.ts'
import { openShop } from '../../console/shop.ts'
import { addEvidenceFile } from '../chargebacks/chargeback-rows.ts'

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
  const read = await readDraft(db.withPlugin(storesBetween), ring, { merchantUuid, chargebackId })
  expect(read.draft).toMatchObject({ version: 1, packageId: read.automatic.packageId })
  const later = await readDraft(db, ring, { merchantUuid, chargebackId })
  expect(later.draft).toMatchObject({ version: 2, packageId: later.automatic.packageId })
})

it('an unchanged draft is 304, as JSON and as PDF; a refused one has no PDF, and waiting would not help', async () => {
  const id = await addCase(shop)
  const read = (accept: string, etag?: string) =>
    shop.stage.call('GET', `/v1/chargebacks/${id}/evidence/draft`, {
      headers: { accept, ...(etag !== undefined && { 'if-none-match': etag }) },
    })
  for (const accept of ['application/json', 'application/pdf']) {
    const { headers } = await read(accept)
    const tag = headers.get('etag') ?? ''
    expect(await read(accept, tag)).toMatchObject({ status: 304, text: '' })
    expect(await read(accept, '"of another version"')).toMatchObject({ status: 200 })
  }

  const { db } = shop.stage
  await db.updateTable('chargeback').set({ package_wanted_at: new Date() }).where('id', '=', id).execute()
  await buildAgain(shop, id, { warnings: ['Nothing that is known answers the claim.'] }, 'Nothing that is known')
  expect(await read('application/json')).toMatchObject({ status: 200, body: { state: 'refused', version: 2 } })
  const refused = await read('application/pdf')
  expect(refused).toMatchObject({ status: 404, body: { code: 'draft_not_ready' } })
  expect(refused.body.message).toContain('`warnings` of the JSON say what to send')
  expect(refused.headers.has('retry-after')).toBe(false)
})

describe('the role of a draft', () => {
  const read = async (role: 'read' | 'work', accept = 'application/json') => {
    const { token } = await shop.issue(role, `${role}er`)
    return shop.stage.call('GET', `/v1/chargebacks/${chargebackId}/evidence/draft`, { token, headers: { accept } })
  }
  let chargebackId: string
  beforeAll(async () => {
    const fileId = await addEvidenceFile(shop.stage, shop.stage.merchantUuid)
    const exhibits = [{ letter: 'A', fileId, kind: 'delivery', caption: 'Signed by Ada Byron', pages: 1 }]
    chargebackId = await addCase(shop, {}, { exhibits, texts: { customer_name: 'Ada Byron' } })
  })

  it('its PDF needs `work`, as the content of its file does', async () => {
    expect(await read('work', 'application/pdf')).toMatchObject({ status: 200, text: expect.stringMatching(/^%PDF/) })
    const { fileId } = (await read('work')).body
    const { token } = await shop.issue('read', 'reader')
    const content = await shop.stage.call('GET', `/v1/files/${fileId}/content`, { token })
    const { code, message } = content.body
    expect(code).toBe('permission_missing')
    for (const accept of ['application/pdf', 'application/pdf, application/json;q=0.5'])
      expect(await read('read', accept)).toMatchObject({ status: 403, body: { code, message } })
  })

  it('`read` gets the JSON without texts, sentences and captions; no cache mixes them up', async () => {
    const [reader, worker] = [await read('read'), await read('work')]
    expect([reader.status, worker.status]).toEqual([200, 200])
    expect(worker.text).toContain('Signed by Ada Byron')
    expect(reader.text).not.toContain('Ada Byron')
    const { texts: _texts, ...rest } = worker.body
    const statements = rest.statements.map(({ text: _text, ...one }: { text?: string }) => one)
    const exhibits = rest.exhibits.map(({ caption: _caption, ...one }: { caption?: string }) => one)
    expect(reader.body).toEqual({ ...rest, statements, exhibits })
    expect(reader.headers.get('etag')).not.toBe(worker.headers.get('etag'))
  })
})
