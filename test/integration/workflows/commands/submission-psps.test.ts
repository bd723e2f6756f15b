import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openScene, pdfOf, type Scene, subjectOf } from './submission-scene.ts'

describe('adyen', () => {
  let scene: Scene
  beforeAll(async () => {
    scene = await openScene(subjectOf('adyen'))
  })
  afterAll(() => scene[Symbol.asyncDispose]())

  test('a PNG is sent as a PDF, and the status reports it', async () => {
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    )
    const { ref, id } = await scene.open()
    const submission = await scene.request(id, await scene.file(png, 'image/png'))
    await scene.work(submission)
    expect(await scene.read(id, submission)).toMatchObject({
      status: 'succeeded',
      converted: { from: 'image/png', to: 'application/pdf' },
    })
    const [upload] = await scene.effects(ref, 'upload')
    expect(upload?.details).toMatchObject({ contentType: 'application/pdf' })
  })

  test('a PDF larger than Adyen accepts: failed with an error message, nothing was sent', async () => {
    const { ref, id } = await scene.open()
    const large = Buffer.concat([await pdfOf(1), Buffer.alloc(2 * 1024 * 1024, 0x20)])
    const submission = await scene.request(id, await scene.file(large))
    await scene.work(submission)
    expect(await scene.read(id, submission)).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/larger than 2097152/),
    })
    expect(await scene.effects(ref, 'upload')).toEqual([])
  })

  test('the metadata of the file selects the field of the document', async () => {
    const { ref, id } = await scene.open({ reason: '13.1' })
    const submission = await scene.request(
      id,
      await scene.file(await pdfOf(1), undefined, { field: 'ProofOfGoodsOrServicesProvided' }),
    )
    await scene.work(submission)
    const [upload] = await scene.effects(ref, 'upload')
    expect(upload?.details).toMatchObject({ name: 'ProofOfGoodsOrServicesProvided' })
  })
})

describe('braintree', () => {
  let scene: Scene
  beforeAll(async () => {
    scene = await openScene(subjectOf('braintree'))
  })
  afterAll(() => scene[Symbol.asyncDispose]())

  test('on the reply-by date evidence is still sent, in every time zone', async () => {
    const { ref } = await scene.open()
    const replyByDate = new Date().toISOString().slice(0, 10)
    await scene.control('PATCH', `/disputes/${ref}`, { fields: { replyByDate } })
    await scene.poll()
    const chargeback = await scene.chargeback(ref)
    expect(chargeback?.due_date).toEqual(new Date(Date.parse(replyByDate) + 36 * 3_600_000))
    const submission = await scene.request(chargeback?.id ?? '', await scene.file(await pdfOf(1)))
    await scene.work(submission)
    expect(await scene.read(chargeback?.id ?? '', submission)).toMatchObject({ status: 'succeeded' })
  })

  test('evidence of another party at the dispute: failed with an error message, nothing sent or left', async () => {
    const { ref, id } = await scene.open()
    const theirs = { id: 'theirs', category: 'GENERAL', comment: 'Another tenant.', url: null, sentToProcessorAt: null }
    await scene.control('PATCH', `/disputes/${ref}`, { fields: { evidence: [theirs] } })
    const submission = await scene.request(id, await scene.file(await pdfOf(1)))
    await scene.work(submission)
    expect(await scene.read(id, submission)).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/evidence at Braintree that is not of this submission \(1 text\)/),
    })
    expect(await scene.effects(ref, 'submission')).toEqual([])
    const record = scene.engine.find(ref)
    expect(record && scene.engine.read(record).evidence).toEqual([theirs])
  })
})

describe.each(['paypal', 'recoup_sandbox'])('%s requests a response again', (source) => {
  test('the same file in the next round is a new submission, and is sent again', async () => {
    await using scene = await openScene(subjectOf(source))
    const { ref, id } = await scene.open()
    const fileId = await scene.file(await pdfOf(1))
    const first = await scene.request(id, fileId)
    await scene.work(first)
    await scene.control('POST', `/disputes/${ref}/decide`, { outcome: 'lost' })
    await scene.poll()
    await scene.control('POST', `/disputes/${ref}/decide`, { outcome: 'reopened' })
    await scene.poll()
    expect(await scene.chargeback(ref)).toMatchObject({ psp_status: 'needs_response', round: 2 })
    const second = await scene.request(id, fileId)
    expect(second).not.toBe(first)
    await scene.work(second)
    expect(await scene.read(id, second)).toMatchObject({ status: 'succeeded' })
    expect(await scene.read(id, first)).toMatchObject({ status: 'succeeded' })
    expect(await scene.effects(ref, 'submission')).toHaveLength(2)
  })
})

describe('paypal', () => {
  test('in an inquiry, the links of the dispute decide whether evidence is sent, not its stage', async () => {
    await using scene = await openScene(subjectOf('paypal'))
    const offered = await scene.open({ stage: 'inquiry', reason: undefined })
    const order = { count: 1, status: 'OPEN', stage: 'inquiry', dueInHours: 200 }
    const { ref } = (await scene.control('POST', '/disputes', order)).disputes[0]
    await scene.poll()
    const closed = { ref, id: (await scene.chargeback(ref))?.id ?? '' }
    const fileId = await scene.file(await pdfOf(1))
    const submissions = []
    for (const { id } of [offered, closed]) submissions.push(await scene.request(id, fileId))
    const [taken = '', refused = ''] = submissions
    for (const submission of submissions) await scene.work(submission)
    expect(await scene.read(offered.id, taken)).toMatchObject({ status: 'succeeded' })
    expect(await scene.read(closed.id, refused)).toMatchObject({
      status: 'failed',
      error: 'PayPal asks for no evidence in this inquiry: answer the buyer at PayPal, or accept it.',
    })
    expect(await scene.effects(offered.ref, 'submission')).toHaveLength(1)
    expect(await scene.effects(closed.ref, 'submission')).toEqual([])
  })
})

describe('recoup_sandbox', () => {
  test('evidence for a posted chargeback succeeds without being sent', async () => {
    await using scene = await openScene(subjectOf('recoup_sandbox'))
    const dueDate = new Date(Date.now() + 100 * 3600 * 1000).toISOString()
    const rawData = { chargebackId: 'posted-1', currency: 'EUR', amount: 10, pspStatus: 'needs_response', dueDate }
    const posted = await scene.stage.call('POST', '/v1/sandbox/raw-data', {
      body: {
        ...{ dataSource: 'worldpay', dataSourceVersion: '1', dataType: 'chargebacks' },
        ...{ integrationId: scene.integrationId, requestTimeStamp: new Date().toISOString() },
        rawData: { ...rawData, lifecycleStage: 'chargeback' },
      },
    })
    expect(posted.status).toBe(201)
    await scene.run(scene.activities.applyRawData, { ingestionId: posted.body.id })
    await scene.poll()
    const { id = '' } = (await scene.chargeback('posted-1')) ?? {}
    const submission = await scene.request(id, await scene.file(await pdfOf(1)))
    await scene.work(submission)
    expect(await scene.read(id, submission)).toMatchObject({ status: 'succeeded' })
    expect(await scene.chargeback('posted-1')).toMatchObject({ status: 'pending_psp_results' })
  })
})
