import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Fixture, openFixture, pdfOf, subjectOf } from './submission-fixture.ts'

describe('adyen', () => {
  let fixture: Fixture
  beforeAll(async () => {
    fixture = await openFixture(subjectOf('adyen'))
  })
  afterAll(() => fixture[Symbol.asyncDispose]())

  test('a PNG is sent as a PDF, and the status reports it', async () => {
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    )
    const { ref, id } = await fixture.open()
    const submission = await fixture.request(id, await fixture.file(png, 'image/png'))
    await fixture.work(submission)
    expect(await fixture.read(id, submission)).toMatchObject({
      status: 'succeeded',
      converted: { from: 'image/png', to: 'application/pdf' },
    })
    const [upload] = await fixture.effects(ref, 'upload')
    expect(upload?.details).toMatchObject({ contentType: 'application/pdf' })
  })

  test('a PDF larger than Adyen accepts: failed with an error message, nothing was sent', async () => {
    const { ref, id } = await fixture.open()
    const large = Buffer.concat([await pdfOf(1), Buffer.alloc(2 * 1024 * 1024, 0x20)])
    const submission = await fixture.request(id, await fixture.file(large))
    await fixture.work(submission)
    expect(await fixture.read(id, submission)).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/larger than 2097152/),
    })
    expect(await fixture.effects(ref, 'upload')).toEqual([])
  })

  test('the metadata of the file selects the field of the document', async () => {
    const { ref, id } = await fixture.open({ reason: '13.1' })
    const submission = await fixture.request(
      id,
      await fixture.file(await pdfOf(1), undefined, { field: 'ProofOfGoodsOrServicesProvided' }),
    )
    await fixture.work(submission)
    const [upload] = await fixture.effects(ref, 'upload')
    expect(upload?.details).toMatchObject({ name: 'ProofOfGoodsOrServicesProvided' })
  })
})

describe('braintree', () => {
  let fixture: Fixture
  beforeAll(async () => {
    fixture = await openFixture(subjectOf('braintree'))
  })
  afterAll(() => fixture[Symbol.asyncDispose]())

  test('on the reply-by date evidence is still sent, in every time zone', async () => {
    const { ref } = await fixture.open()
    const replyByDate = new Date().toISOString().slice(0, 10)
    await fixture.control('PATCH', `/disputes/${ref}`, { fields: { replyByDate } })
    await fixture.poll()
    const chargeback = await fixture.chargeback(ref)
    expect(chargeback?.due_date).toEqual(new Date(Date.parse(replyByDate) + 36 * 3_600_000))
    const submission = await fixture.request(chargeback?.id ?? '', await fixture.file(await pdfOf(1)))
    await fixture.work(submission)
    expect(await fixture.read(chargeback?.id ?? '', submission)).toMatchObject({ status: 'succeeded' })
  })

  test('evidence of another party at the dispute: failed with an error message, nothing sent or left', async () => {
    const { ref, id } = await fixture.open()
    const theirs = { id: 'theirs', category: 'GENERAL', comment: 'Another tenant.', url: null, sentToProcessorAt: null }
    await fixture.control('PATCH', `/disputes/${ref}`, { fields: { evidence: [theirs] } })
    const submission = await fixture.request(id, await fixture.file(await pdfOf(1)))
    await fixture.work(submission)
    expect(await fixture.read(id, submission)).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/evidence at Braintree that is not of this submission \(1 text\)/),
    })
    expect(await fixture.effects(ref, 'submission')).toEqual([])
    const record = fixture.engine.find(ref)
    expect(record && fixture.engine.read(record).evidence).toEqual([theirs])
  })
})

describe.each(['paypal', 'recoup_sandbox'])('%s requests a response again', (source) => {
  test('the same file in the next round is a new submission, and is sent again', async () => {
    await using fixture = await openFixture(subjectOf(source))
    const { ref, id } = await fixture.open()
    const fileId = await fixture.file(await pdfOf(1))
    const first = await fixture.request(id, fileId)
    await fixture.work(first)
    await fixture.control('POST', `/disputes/${ref}/decide`, { outcome: 'lost' })
    await fixture.poll()
    await fixture.control('POST', `/disputes/${ref}/decide`, { outcome: 'reopened' })
    await fixture.poll()
    expect(await fixture.chargeback(ref)).toMatchObject({ psp_status: 'needs_response', round: 2 })
    const second = await fixture.request(id, fileId)
    expect(second).not.toBe(first)
    await fixture.work(second)
    expect(await fixture.read(id, second)).toMatchObject({ status: 'succeeded' })
    expect(await fixture.read(id, first)).toMatchObject({ status: 'succeeded' })
    expect(await fixture.effects(ref, 'submission')).toHaveLength(2)
  })
})

describe('paypal', () => {
  test('in an inquiry, the links of the dispute decide whether evidence is sent, not its stage', async () => {
    await using fixture = await openFixture(subjectOf('paypal'))
    const offered = await fixture.open({ stage: 'inquiry', reason: undefined })
    const order = { count: 1, status: 'OPEN', stage: 'inquiry', dueInHours: 200 }
    const { ref } = (await fixture.control('POST', '/disputes', order)).disputes[0]
    await fixture.poll()
    const closed = { ref, id: (await fixture.chargeback(ref))?.id ?? '' }
    const fileId = await fixture.file(await pdfOf(1))
    const submissions = []
    for (const { id } of [offered, closed]) submissions.push(await fixture.request(id, fileId))
    const [taken = '', refused = ''] = submissions
    for (const submission of submissions) await fixture.work(submission)
    expect(await fixture.read(offered.id, taken)).toMatchObject({ status: 'succeeded' })
    expect(await fixture.read(closed.id, refused)).toMatchObject({
      status: 'failed',
      error: 'PayPal asks for no evidence in this inquiry: answer the buyer at PayPal, or accept it.',
    })
    expect(await fixture.effects(offered.ref, 'submission')).toHaveLength(1)
    expect(await fixture.effects(closed.ref, 'submission')).toEqual([])
  })
})

describe('recoup_sandbox', () => {
  test('evidence for a posted chargeback succeeds without being sent', async () => {
    await using fixture = await openFixture(subjectOf('recoup_sandbox'))
    const dueDate = new Date(Date.now() + 100 * 3600 * 1000).toISOString()
    const rawData = { chargebackId: 'posted-1', currency: 'EUR', amount: 10, pspStatus: 'needs_response', dueDate }
    const posted = await fixture.stage.call('POST', '/v1/sandbox/raw-data', {
      body: {
        ...{ dataSource: 'worldpay', dataSourceVersion: '1', dataType: 'chargebacks' },
        ...{ integrationId: fixture.integrationId, requestTimeStamp: new Date().toISOString() },
        rawData: { ...rawData, lifecycleStage: 'chargeback' },
      },
    })
    expect(posted.status).toBe(201)
    await fixture.run(fixture.activities.applyRawData, { ingestionId: posted.body.id })
    await fixture.poll()
    const { id = '' } = (await fixture.chargeback('posted-1')) ?? {}
    const submission = await fixture.request(id, await fixture.file(await pdfOf(1)))
    await fixture.work(submission)
    expect(await fixture.read(id, submission)).toMatchObject({ status: 'succeeded' })
    expect(await fixture.chargeback('posted-1')).toMatchObject({ status: 'pending_psp_results' })
  })
})
