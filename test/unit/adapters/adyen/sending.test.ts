import { describe, expect, test } from 'vitest'
import { type PspFetch, pspFetch } from '../../../../adapters/shared/psp-fetch.ts'
import { sendJson, startLoopback } from '../loopback.ts'
import { connectAdyen, DISPUTE, delivery, inboxOf, item, NOW, opened } from './adyen.ts'

describe('sending evidence', () => {
  const documents = {
    'SupplyDefenseMaterial/DefenseMaterial': {
      name: 'a.pdf',
      type: 'application/pdf',
      data: Buffer.from([0x25, 0xff, 0xfe, 0x3e]),
    },
  }
  const request = { reference: DISPUTE, idempotencyKey: 'k', digest: 'd1', files: {}, texts: {}, documents }
  const reasons = (available: boolean) => ({
    defenseReasons: [
      {
        defenseReasonCode: 'SupplyDefenseMaterial',
        satisfied: true,
        defenseDocumentTypes: [{ defenseDocumentTypeCode: 'DefenseMaterial', requirementLevel: 'Required', available }],
      },
    ],
  })
  /** Simulates an Adyen that accepts everything, and lists an uploaded document unless `forgetful`. */
  const psp = ({ forgetful = false } = {}) => {
    let supplied = false
    return startLoopback((seen, response) => {
      const operation = seen.path.split('/').at(-1)
      supplied ||= operation === 'supplyDefenseDocument' && !forgetful
      const body = operation === 'retrieveApplicableDefenseReasons' ? reasons(supplied) : {}
      sendJson(response, 200, { ...body, disputeServiceResult: { success: true } })
    })
  }
  const written = (paths: readonly { path: string }[]) =>
    paths.map(({ path }) => path.split('/').at(-1)).filter((one) => one !== 'retrieveApplicableDefenseReasons')

  test('uploads the bytes in standard base64, once for the same evidence', async () => {
    await using server = await psp()
    const adapter = connectAdyen({ baseUrl: server.url, inbox: inboxOf([delivery([opened()])]) })
    expect((await adapter.stageEvidence(request)).result).toBe('applied')
    expect((await adapter.stageEvidence({ ...request, idempotencyKey: 'k2' })).result).toBe('already_applied')
    const supplied = server.seen.filter((seen) => seen.path.endsWith('/supplyDefenseDocument'))
    expect(supplied.map((seen) => JSON.parse(seen.body).defenseDocuments)).toEqual([
      [{ content: 'Jf/+Pg==', contentType: 'application/pdf', defenseDocumentTypeCode: 'DefenseMaterial' }],
    ])
  })

  test('uploads again if other evidence was uploaded before', async () => {
    await using server = await psp()
    const adapter = connectAdyen({ baseUrl: server.url, inbox: inboxOf([delivery([opened()])]) })
    await adapter.stageEvidence(request)
    expect((await adapter.stageEvidence({ ...request, digest: 'd2' })).result).toBe('applied')
    expect(written(server.seen)).toEqual(['supplyDefenseDocument', 'supplyDefenseDocument'])
  })

  test('uses another idempotency key for other evidence or another reason, also with the same engine key', async () => {
    await using server = await psp({ forgetful: true })
    const adapter = () => connectAdyen({ baseUrl: server.url, inbox: inboxOf([delivery([opened()])]) })
    const other = { 'GoodsWereAsDescribed/GoodsWereAsDescribed': documents['SupplyDefenseMaterial/DefenseMaterial'] }
    for (const changes of [{}, {}, { digest: 'd2' }, { documents: other }]) {
      await adapter().stageEvidence({ ...request, ...changes })
      await adapter().submitEvidence({ ...request, ...changes })
    }
    const keys = (operation: string) =>
      server.seen.filter((seen) => seen.path.endsWith(operation)).map((seen) => seen.headers['idempotency-key'])
    const [first, again, evidence, reason] = keys('/defendDispute')
    expect(again).toBe(first)
    expect(new Set([first, evidence, reason]).size).toBe(3)
    const [upload, repeated, replaced] = keys('/supplyDefenseDocument')
    expect(repeated).toBe(upload)
    expect(replaced).not.toBe(upload)
  })

  describe('deletes documents', () => {
    const both = {
      ...documents,
      'SupplyDefenseMaterial/TIDorInvoice': { name: 'b.pdf', type: 'application/pdf', data: Buffer.from('%PDF-') },
    }
    const available = (...types: string[]) => ({
      defenseReasons: [
        {
          defenseReasonCode: 'SupplyDefenseMaterial',
          satisfied: true,
          defenseDocumentTypes: types.map((type) => ({
            defenseDocumentTypeCode: type,
            requirementLevel: 'Required',
            available: true,
          })),
        },
      ],
      disputeServiceResult: { success: true },
    })
    /** Adyen with these documents after the first upload, or before it if `foreign`; `first` is its result. */
    async function fixture(types: string[], first: 'accepted' | 'lost' = 'accepted', removal = true, foreign = false) {
      let uploads = 0
      const server = await startLoopback((seen, response) => {
        const operation = seen.path.split('/').at(-1)
        if (operation === 'supplyDefenseDocument' && ++uploads === 1 && first === 'lost') sendJson(response, 500, {})
        else if (operation === 'retrieveApplicableDefenseReasons')
          sendJson(response, 200, available(...(uploads > 0 || foreign ? types : [])))
        else
          sendJson(response, 200, {
            disputeServiceResult: { success: operation !== 'deleteDisputeDefenseDocument' || removal },
          })
      })
      const adapter = connectAdyen({ baseUrl: server.url, inbox: inboxOf([delivery([opened()])]) })
      const removed = () =>
        server.seen
          .filter((seen) => seen.path.endsWith('/deleteDisputeDefenseDocument'))
          .map((seen) => JSON.parse(seen.body).defenseDocumentType)
      return { server, adapter, removed }
    }

    test.each(['accepted', 'lost'] as const)(
      'of an earlier upload (%s) that the current evidence lacks',
      async (first) => {
        const { server, adapter, removed } = await fixture(['DefenseMaterial', 'TIDorInvoice'], first)
        await using _ = server
        await adapter.stageEvidence({ ...request, documents: both }).catch(() => {})
        expect((await adapter.stageEvidence({ ...request, digest: 'd2', idempotencyKey: 'k2' })).result).toBe('applied')
        expect(removed()).toEqual(['TIDorInvoice'])
      },
    )

    test('but none that another person uploaded, next to which nothing is uploaded or sent', async () => {
      const { server, adapter, removed } = await fixture(['ProofOfDelivery'], 'accepted', true, true)
      await using _ = server
      for (const write of [adapter.stageEvidence, adapter.submitEvidence])
        await expect(write({ ...request, documents: both })).rejects.toMatchObject({
          kind: 'rejected_final',
          message: expect.stringContaining('Somebody else has put documents on this dispute'),
        })
      expect(removed()).toEqual([])
      expect(server.seen.map((seen) => seen.path.split('/').at(-1))).toEqual([
        'retrieveApplicableDefenseReasons',
        'retrieveApplicableDefenseReasons',
      ])
    })

    test('or sends nothing if Adyen refuses to delete one', async () => {
      const { server, adapter } = await fixture(['DefenseMaterial', 'TIDorInvoice'], 'accepted', false)
      await using _ = server
      await adapter.stageEvidence({ ...request, documents: both })
      await expect(adapter.stageEvidence({ ...request, digest: 'd2' })).rejects.toMatchObject({
        kind: 'rejected_final',
      })
      expect(server.seen.filter((seen) => seen.path.endsWith('/supplyDefenseDocument'))).toHaveLength(1)
    })
  })

  test.each<[string, number, object, string]>([
    ['refused', 200, { disputeServiceResult: { success: false } }, 'impossible'],
    ['refused as invalid', 422, {}, 'impossible'],
    ['rate limited', 429, {}, 'impossible'],
    ['left without a response', 500, {}, 'done'],
  ])('a defence that is reported after an upload that was %s', async (_, status, body, answer) => {
    await using server = await startLoopback((seen, response) => {
      const supplies = seen.path.endsWith('/supplyDefenseDocument')
      sendJson(response, supplies ? status : 200, supplies ? body : { disputeServiceResult: { success: true } })
    })
    const inbox = inboxOf([delivery([opened()])])
    const adapter = connectAdyen({ baseUrl: server.url, inbox })
    await adapter.stageEvidence(request).catch(() => {})
    const reported = delivery([item('INFORMATION_SUPPLIED', 5, {}, { disputeStatus: 'Pending' })])
    inbox.rows.push({ position: '000099', receivedAt: NOW, body: reported, references: [DISPUTE] })
    const question = { kind: 'submission', reference: DISPUTE, digest: 'd1', submissionsBefore: 0, sent: true } as const
    expect((await adapter.probe(question)).answer).toBe(answer)
  })

  test('an upload that never reached Adyen counts as refused, and the next one as ours', async () => {
    const unreachable = await psp()
    await unreachable[Symbol.asyncDispose]()
    const inbox = inboxOf([delivery([opened()])])
    await using reachable = await psp()
    const failingUploads: PspFetch = (input, init) =>
      pspFetch(input.endsWith('/supplyDefenseDocument') ? input.replace(reachable.url, unreachable.url) : input, init)
    await expect(
      connectAdyen({ baseUrl: reachable.url, inbox, fetch: failingUploads }).stageEvidence(request),
    ).rejects.toMatchObject({
      kind: 'unavailable',
    })
    const marks = () => inbox.rows.slice(1).map((row) => JSON.parse(row.body).recoup)
    expect(marks()).toEqual(['upload', 'upload_refused'])
    await using server = await psp()
    await connectAdyen({ baseUrl: server.url, inbox }).stageEvidence(request)
    const reported = delivery([item('INFORMATION_SUPPLIED', 5, {}, { disputeStatus: 'Pending' })])
    inbox.rows.push({ position: '000099', receivedAt: NOW, body: reported, references: [DISPUTE] })
    const question = { kind: 'submission', reference: DISPUTE, digest: 'd1', submissionsBefore: 0, sent: true } as const
    expect((await connectAdyen({ inbox }).probe(question)).answer).toBe('done')
  })

  test('is outcome_unknown if Adyen accepted it and closed the dispute without a status', async () => {
    await using server = await psp()
    const inbox = inboxOf([delivery([opened()])])
    const adapter = connectAdyen({ baseUrl: server.url, inbox })
    await adapter.submitEvidence(request)
    const ended = delivery([item('DISPUTE_DEFENSE_PERIOD_ENDED', 5)])
    inbox.rows.push({ position: '000099', receivedAt: NOW, body: ended, references: [DISPUTE] })
    await expect(adapter.submitEvidence(request)).rejects.toMatchObject({ kind: 'outcome_unknown' })
  })

  test('defends with the planned reason, and returns pending, never won', async () => {
    await using server = await psp()
    const inbox = inboxOf([delivery([opened()])])
    const adapter = connectAdyen({ baseUrl: server.url, inbox })
    expect((await adapter.submitEvidence(request)).result).toBe('pending')
    expect(JSON.parse(server.seen.at(-1)?.body ?? '').defenseReasonCode).toBe('SupplyDefenseMaterial')
    expect(
      (await adapter.probe({ kind: 'submission', reference: DISPUTE, digest: 'd1', submissionsBefore: 0 })).answer,
    ).toBe('unknown')
  })

  test('refuses a PNG and evidence without a document before any call', async () => {
    await using server = await psp()
    const adapter = connectAdyen({ baseUrl: server.url, inbox: inboxOf([delivery([opened()])]) })
    const png = {
      'SupplyDefenseMaterial/DefenseMaterial': { name: 'a.png', type: 'image/png', data: Buffer.from('x') },
    }
    await expect(adapter.stageEvidence({ ...request, documents: png })).rejects.toMatchObject({
      kind: 'invalid_request',
    })
    await expect(adapter.submitEvidence({ ...request, documents: {} })).rejects.toMatchObject({
      kind: 'invalid_request',
    })
    expect(server.seen).toEqual([])
  })
})
