import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { asRecord } from '../../../../adapters/shared/raw-json.ts'
import { type Fixture, openFixture } from './package-fixture.ts'

/** Texts by field, as the simulated PSP has them; `details` are those of its ledger. */
const RECEIVED: Record<string, (details: Record<string, unknown>, dispute: Record<string, unknown>) => object> = {
  stripe: (_, dispute) => asRecord(dispute.evidence) ?? {},
  paypal: ({ sent }) => ({ everything: JSON.stringify(sent) }),
  braintree: ({ evidence }) =>
    Object.fromEntries(
      (evidence as { category: string; comment: string | null }[]).map((one) => [one.category, one.comment]),
    ),
  adyen: () => ({}),
  recoup_sandbox: ({ texts }) => texts as object,
}

/** A chargeback whose package was built, read and submitted. */
async function submitted(fixture: Fixture, points: object = {}) {
  const { id, ref } = await fixture.building({ transactionOrderEmail: '', ...points })
  await fixture.build()
  const { body: draft } = await fixture.draft(id)
  const response = await fixture.stage.app.request(`/v1/chargebacks/${id}/evidence/draft`, {
    headers: { accept: 'application/pdf', authorization: `Bearer ${fixture.stage.token}` },
  })
  const pdf = Buffer.from(await response.arrayBuffer())
  const { status, body, text } = await fixture.submit(id, draft.fileId)
  if (status !== 201) throw new Error(text)
  await fixture.work(body.id)
  expect(await fixture.read(id, body.id)).toMatchObject({ status: 'succeeded' })
  return { ref, draft, pdf }
}

describe.each(Object.keys(RECEIVED))('%s receives of a package what its draft shows', (source) => {
  test('the same bytes of its PDF, and the same text in each field', async () => {
    await using fixture = await openFixture(source)
    const { ref, draft, pdf } = await submitted(fixture)
    const sha256 = createHash('sha256').update(pdf).digest('hex')
    const uploads = (await fixture.control('GET', '/effects?kind=upload')).effects as { details: { sha256: string } }[]
    expect(uploads.map(({ details }) => details.sha256)).toEqual([sha256])
    const [submission, ...others] = (await fixture.effects(ref, 'submission')) as { details: Record<string, unknown> }[]
    expect(others).toEqual([])
    const record = fixture.engine.find(ref)
    const dispute = record ? fixture.engine.read(record) : {}
    const received = RECEIVED[source]?.(submission?.details ?? {}, dispute) ?? {}
    if (source === 'paypal')
      for (const text of Object.values(draft.texts as Record<string, string>))
        expect(received).toEqual({ everything: expect.stringContaining(JSON.stringify(text).slice(1, -1)) })
    else expect(received).toMatchObject(draft.texts)
    // Adyen takes no texts.
    expect(Object.keys(draft.texts).length > 0).toBe(source !== 'adyen')
  }, 60_000)
})

// In Stripe's test mode this text decides the dispute.
test.each([
  ['winning_evidence', 'won'],
  ['losing_evidence', 'lost'],
])(
  'a data point with the name of the PSP’s field is sent in place of the sentences: %s is %s',
  async (text, outcome) => {
    await using fixture = await openFixture('stripe')
    const { ref, draft } = await submitted(fixture, { uncategorized_text: text })
    expect(draft.texts.uncategorized_text).toBe(text)
    expect((await fixture.effects(ref, 'submission')).length).toBe(1)
    await fixture.control('POST', '/clock', { seconds: 10 })
    const record = fixture.engine.find(ref)
    expect(record && fixture.engine.read(record).status).toBe(outcome)
  },
  60_000,
)
