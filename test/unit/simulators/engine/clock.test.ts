import { describe, expect, it } from 'vitest'
import { connect } from './connect.ts'

describe('POST /clock', () => {
  it.each([
    ['chargeback', 'lost'],
    ['claim', 'lost'],
    ['second_chargeback', 'lost'],
    ['inquiry', 'warning_closed'],
  ])('a dispute without a response in stage %s becomes %s', async (stage, status) => {
    await using c = await connect()
    const [ref = ''] = await c.create({ count: 1, status: 'needs_response', stage, dueInHours: 2 })
    await c.control('POST /clock', { seconds: 3600 })
    expect((await c.stripe.disputes.retrieve(ref)).status).toMatch(/needs_response$/)
    await c.control('POST /clock', { seconds: 3601 })
    const ended = await c.stripe.disputes.retrieve(ref)
    expect([ended.status, ended.evidence_details.past_due]).toEqual([status, true])
    expect((await c.control('GET /effects')).body.total).toBe(0)
  })

  it('loses a dispute whose evidence is staged but not submitted', async () => {
    await using c = await connect()
    const [ref = ''] = await c.create({ count: 1, status: 'needs_response', stage: 'chargeback', dueInHours: 1 })
    await c.stripe.disputes.update(ref, { evidence: { uncategorized_text: 'x' }, submit: false })
    await c.control('POST /clock', { seconds: 4000 })
    const { status, evidence_details } = await c.stripe.disputes.retrieve(ref)
    expect(status).toBe('lost')
    expect(evidence_details).toMatchObject({ has_evidence: true, submission_count: 0, past_due: true })
  })

  it('lets Smart Disputes respond for a merchant who asked for it', async () => {
    await using c = await connect()
    const [ref = ''] = await c.create({
      count: 1,
      status: 'needs_response',
      stage: 'chargeback',
      reason: '10.4',
      dueInHours: 1,
    })
    await c.stripe.disputes.update(ref, { intended_submission_method: 'prefer_smart_disputes', submit: false })
    await c.control('POST /clock', { seconds: 4000 })
    const { status, evidence_details } = await c.stripe.disputes.retrieve(ref)
    expect([status, evidence_details.submission_method]).toEqual(['under_review', 'smart_disputes'])
  })

  it('lets deadlines pass in real time too', async () => {
    await using c = await connect()
    const [ref = ''] = await c.create({ count: 1, status: 'needs_response', stage: 'chargeback', dueInHours: 1 / 3600 })
    await expect.poll(async () => (await c.stripe.disputes.retrieve(ref)).status, { timeout: 5000 }).toBe('lost')
  })

  it('returns the virtual time', async () => {
    await using c = await connect()
    const { body } = await c.control('POST /clock', { seconds: 86_400 })
    expect(body.offsetSeconds).toBe(86_400)
    expect(Math.abs(Date.parse(body.now) - Date.now() - 86_400_000)).toBeLessThan(5000)
  })
})

describe('POST /disputes/{ref}/decide', () => {
  it.each([
    ['under_review', 'won', 'won'],
    ['under_review', 'lost', 'lost'],
    ['under_review', 'split', 'won'],
    ['warning_under_review', 'won', 'warning_closed'],
    ['lost', 'reopened', 'appeal_needs_response'],
    ['warning_closed', 'reopened', 'needs_response'],
  ])('%s decided as %s becomes %s', async (status, outcome, result) => {
    await using c = await connect()
    const [ref = ''] = await c.create({ count: 1, status })
    expect((await c.control(`POST /disputes/${ref}/decide`, { outcome })).body.status).toBe(result)
    expect((await c.stripe.disputes.retrieve(ref)).status).toBe(result)
  })

  it('returns the whole amount for a win and half for a split', async () => {
    await using c = await connect()
    const back = async (outcome: string): Promise<number> => {
      const [ref = ''] = await c.create({
        count: 1,
        status: 'under_review',
        stage: 'chargeback',
        currency: 'usd',
        amount: 20,
      })
      await c.control(`POST /disputes/${ref}/decide`, { outcome })
      return (await c.stripe.disputes.retrieve(ref)).balance_transactions.at(-1)?.amount ?? 0
    }
    expect([await back('won'), await back('split'), await back('lost')]).toEqual([2000, 1000, -2000])
  })

  it('gives a reopened dispute a new deadline and a new round', async () => {
    await using c = await connect()
    const [ref = ''] = await c.create({ count: 1, status: 'lost', stage: 'chargeback' })
    const { body } = await c.control(`POST /disputes/${ref}/decide`, { outcome: 'reopened' })
    expect(body.round).toBe(2)
    expect(body.object.evidence_details.due_by).toBeGreaterThan(Date.now() / 1000)
  })

  it('returns 400 for a prevented dispute and 404 for an unknown one', async () => {
    await using c = await connect()
    const [ref = ''] = await c.create({ count: 1, status: 'prevented' })
    expect((await c.control(`POST /disputes/${ref}/decide`, { outcome: 'won' })).status).toBe(400)
    expect((await c.control('POST /disputes/du_none/decide', { outcome: 'won' })).status).toBe(404)
  })
})
