import { describe, expect, test } from 'vitest'
import { canonicalText } from '../../../../adapters/braintree/canonical.ts'
import { toChargeback } from '../../../../adapters/braintree/translate.ts'
import { KINDS, PROGRAMS, pspStatusOf, REASONS } from '../../../../adapters/braintree/vocabulary.ts'
import { connectTo, INITIAL, sendXml, startServer } from './connect.ts'

/** A dispute in Braintree's XML, with every element. */
const DISPUTE_XML = `<dispute><id>kx9j2dm4rq</id><global-id>ZGlzcHV0ZV9reDlq</global-id><amount>250.00</amount>
  <amount-disputed>110.60</amount-disputed><amount-won>0.00</amount-won><currency-iso-code>USD</currency-iso-code>
  <kind>chargeback</kind><status>open</status><reason>fraud</reason><reason-code>1040</reason-code>
  <reason-description nil="true"/><case-number>CB123</case-number><reference-number>74537604221222</reference-number>
  <original-dispute-id nil="true"/><processor-comments nil="true"/>
  <chargeback-protection-level>not_protected</chargeback-protection-level><pre-dispute-program>none</pre-dispute-program>
  <merchant-account-id>ma_usd</merchant-account-id><received-date type="date">2026-03-14</received-date>
  <reply-by-date type="date">2026-03-24</reply-by-date><date-opened type="date">2026-03-14</date-opened>
  <date-won nil="true"/><created-at type="datetime">2026-03-14T13:23:40Z</created-at>
  <updated-at type="datetime">2026-03-15T09:00:00Z</updated-at>
  <remaining-file-evidence-storage type="integer">7340032</remaining-file-evidence-storage>
  <paypal-messages type="array"/><evidence type="array"/><status-history type="array"><status-history>
  <status>pending</status><effective-date type="date">2026-03-13</effective-date><disbursement-date nil="true"/>
  <timestamp type="datetime">2026-03-13T13:23:41Z</timestamp></status-history><status-history><status>open</status>
  <effective-date type="date">2026-03-14</effective-date><disbursement-date nil="true"/>
  <timestamp type="datetime">2026-03-14T13:23:41Z</timestamp></status-history></status-history>
  <transaction><id>t1</id><amount>250.00</amount><created-at>2026-03-07T16:56:14Z</created-at><order-id>order-7</order-id>
  <purchase-order-number nil="true"/><installment-count/><payment-instrument-subtype>Visa</payment-instrument-subtype>
  </transaction></dispute>`

async function read(xml = DISPUTE_XML) {
  await using braintree = await startServer((_, response) => sendXml(response, 200, xml))
  return await connectTo(braintree.url).fetchDispute('kx9j2dm4rq')
}

const sample = async (changes: Record<string, unknown> = {}) =>
  facts({ ...JSON.parse((await read()).text), ...changes })

function facts(object: unknown) {
  const translation = toChargeback({ reference: null, text: JSON.stringify(object) })
  if (translation.kind === 'unmappable') throw new Error(translation.reason)
  return { ...translation.facts, anomalies: translation.anomalies }
}

describe('a dispute through the SDK', () => {
  test('gives the facts', async () => {
    expect(await sample()).toEqual({
      chargebackId: 'kx9j2dm4rq',
      psp: 'braintree',
      currency: 'USD',
      amountMinor: 11060n,
      amountExponent: 2,
      postingDate: '2026-03-14T00:00:00.000Z',
      transactionCreatedDate: '2026-03-07T16:56:14.000Z',
      dueDate: '2026-03-25T12:00:00.000Z',
      pspStatus: 'needs_response',
      pspStatusChangeDate: '2026-03-14T13:23:41.000Z',
      lifecycleStage: 'chargeback',
      transactionId: 't1',
      arn: null,
      externalTransactionIdentifier: 'order-7',
      merchantReferenceName: 'ma_usd',
      reasonCode: '10.4',
      reason: 'fraud',
      cardScheme: 'visa',
      paymentMethod: 'card',
      bin: null,
      cardLastFourDigits: null,
      billingCountry: null,
      pspSequence: BigInt(Date.parse('2026-03-15T09:00:00Z')),
      anomalies: [],
    })
  })

  test('gives the same text alone and in a list, and in any order of elements', async () => {
    const alone = (await read()).text
    const list = `<disputes type="collection"><page-size type="integer">50</page-size>
      <total-items type="integer">1</total-items>${DISPUTE_XML}</disputes>`
    await using braintree = await startServer((_, response, body) =>
      sendXml(
        response,
        200,
        body.includes('effective') || body.includes('"status"') ? list.replace(DISPUTE_XML, '') : list,
      ),
    )
    const { items } = await connectTo(braintree.url).listDisputes({ cursor: INITIAL, oldestOpen: null })
    expect(items[0]?.text).toBe(alone)
    const status = '<status>open</status><reason>fraud</reason>'
    const reordered = DISPUTE_XML.replace(status, '<reason>fraud</reason><status>open</status>')
    expect((await read(reordered)).text).toBe(alone)
  })

  test('has null for every kind of missing value, and none of the names that the SDK adds', async () => {
    const typed = DISPUTE_XML.replace('<date-won nil="true"/>', '<date-won type="date"/>')
    const object = JSON.parse((await read(typed)).text)
    expect(object.dateWon).toBeNull()
    expect([object.reasonDescription, object.transaction.installmentCount]).toEqual([null, null])
    expect(object.evidence).toEqual([])
    expect(Object.keys(object)).not.toContain('transactionDetails')
    expect(Object.keys(object)).not.toContain('protectionLevel')
    expect(canonicalText({ b: undefined, a: '', c: { z: 1, y: [undefined] } })).toBe(
      '{"a":null,"b":null,"c":{"y":[null],"z":1}}',
    )
  })
})

describe('status', () => {
  test.each([
    ['open', 'needs_response'],
    ['disputed', 'under_review'],
    ['under_review', 'under_review'],
    ['won', 'won'],
    ['lost', 'lost'],
    ['accepted', 'lost'],
    ['auto_accepted', 'lost'],
    ['expired', 'lost'],
    ['pending', 'unknown'],
    ['of_next_year', 'unknown'],
  ])('%s is %s', async (status, expected) => {
    const { pspStatus, anomalies } = await sample({ status })
    expect([pspStatus, anomalies.length]).toEqual([expected, expected === 'unknown' ? 1 : 0])
  })

  test.each([
    ['a part of the amount', '60.60', 'split'],
    ['the full amount', '110.60', 'won'],
    ['no amount', '0.00', 'won'],
    ['an invalid amount', 'much', 'won'],
  ])('won with %s returned', async (_, amountWon, expected) => {
    expect((await sample({ status: 'won', amountWon })).pspStatus).toBe(expected)
  })

  test('expired with evidence that was never sent to the processor', async () => {
    const entry = { id: 'e', category: 'GENERAL', comment: 'x', sentToProcessorAt: null }
    const expired = async (evidence: unknown[]) => (await sample({ status: 'expired', evidence })).pspStatus
    expect(await expired([entry])).toBe('evidence_not_submitted_by_psp')
    expect(await expired([entry, { ...entry, sentToProcessorAt: '2026-03-20' }])).toBe('lost')
    expect(await expired([])).toBe('lost')
  })

  test('a closed retrieval without money is not applicable', async () => {
    const retrieval = { kind: 'retrieval', status: 'expired', amountDisputed: '0.00' }
    expect((await sample(retrieval)).pspStatus).toBe('not_applicable')
    expect((await sample({ ...retrieval, status: 'open' })).pspStatus).toBe('needs_response')
    expect((await sample({ ...retrieval, amountDisputed: '1.00' })).pspStatus).toBe('lost')
    for (const status of ['won', 'lost', 'accepted', 'auto_accepted']) {
      expect((await sample({ ...retrieval, status })).pspStatus).toBe('not_applicable')
    }
    expect((await sample({ ...retrieval, status: 'disputed' })).pspStatus).toBe('under_review')
    expect((await sample({ ...retrieval, kind: 'chargeback' })).pspStatus).toBe('lost')
  })
})

describe('stage', () => {
  test.each([
    [{ kind: 'chargeback' }, 'chargeback'],
    [{ kind: 'pre_arbitration' }, 'second_chargeback'],
    [{ kind: 'retrieval' }, 'inquiry'],
    [{ kind: 'chargeback', preDisputeProgram: 'visa_rdr' }, 'alert'],
    [{ kind: 'chargeback', paypalMessages: [{ message: 'x' }] }, 'chargeback'],
    [{ kind: 'of_next_year' }, 'other'],
    [{ kind: null }, 'other'],
  ])('%j is %s', async (changes, stage) => {
    expect((await sample(changes)).lifecycleStage).toBe(stage)
  })
})

describe('amounts are decimals of the currency', () => {
  test.each([
    ['USD', '110.60', 11060n, 2],
    ['JPY', '1000', 1000n, 0],
    ['JPY', '1000.00', 1000n, 0],
    ['KWD', '0.120', 120n, 3],
    ['USD', '0.00', 0n, 2],
    ['USD', '90071992547409.93', 9007199254740993n, 2],
  ])('%s %s', async (currencyIsoCode, amountDisputed, minor, exponent) => {
    const { amountMinor, amountExponent } = await sample({ currencyIsoCode, amountDisputed })
    expect([amountMinor, amountExponent]).toEqual([minor, exponent])
  })
})

describe('an invalid dispute', () => {
  test.each([
    [{ id: null }, 'id is missing'],
    [{ status: '' }, 'status is missing'],
    [{ amountDisputed: null }, 'amountDisputed is not a decimal of this currency'],
    [{ amountDisputed: '-1.00' }, 'amountDisputed is not a decimal of this currency'],
    [{ amountDisputed: '1.005' }, 'amountDisputed is not a decimal of this currency'],
    [{ amountDisputed: 110.6 }, 'amountDisputed is not a string'],
    [{ currencyIsoCode: 'XXX' }, 'currencyIsoCode is unknown'],
    [{ receivedDate: '2026-02-30' }, 'receivedDate is not a date'],
    [{ updatedAt: '2026-02-30T00:00:00Z' }, 'updatedAt is not a date'],
    [{ replyByDate: 'soon' }, 'replyByDate is not a date'],
    [{ receivedDate: null, createdAt: null }, 'receivedDate is missing'],
    [{ reason: 'a\u0000b' }, "reason holds characters that can't be stored"],
    [{ caseNumber: 'x', merchantAccountId: 'x'.repeat(300) }, 'merchantAccountId is longer than 255 characters'],
  ])('%j: %s', async (changes, reason) => {
    await expect(sample(changes)).rejects.toThrow(reason)
  })

  test.each([['"text"'], ['null'], ['[]'], ['not JSON']])('%s', (text) => {
    expect(toChargeback({ reference: 'r', text })).toMatchObject({ kind: 'unmappable', reference: 'r' })
  })
})

describe('dates', () => {
  test('without reply-by there is no due date', async () => {
    expect((await sample({ replyByDate: null })).dueDate).toBeNull()
  })

  test('the status change date is that of the newest history entry, in any order', async () => {
    const entry = (status: string, timestamp: string) => ({ status, timestamp, effectiveDate: '2026-03-14' })
    const [open, disputed] = [entry('open', '2026-03-14T13:23:41Z'), entry('disputed', '2026-03-16T08:00:00Z')]
    for (const statusHistory of [
      [open, disputed],
      [disputed, open],
    ])
      expect((await sample({ statusHistory })).pspStatusChangeDate).toBe('2026-03-16T08:00:00.000Z')
  })

  test('without a history the status change date is the dispute’s last update', async () => {
    expect((await sample({ statusHistory: [] })).pspStatusChangeDate).toBe('2026-03-15T09:00:00.000Z')
  })
})

test('the reason is the description, else Braintree’s reason, which also replaces a missing code', async () => {
  expect(await sample({ reasonDescription: 'No authorization' })).toMatchObject({
    reason: 'No authorization',
    reasonCode: '10.4',
  })
  expect(await sample({ reasonCode: null })).toMatchObject({ reason: 'fraud', reasonCode: 'fraud' })
})

test('reference-number is no ARN, and amount is not the disputed amount', async () => {
  const { arn, amountMinor } = await sample({ amount: '999.00' })
  expect([arn, amountMinor]).toEqual([null, 11060n])
})

test('every value of the SDK is known', async () => {
  const { default: sdk } = await import('braintree')
  // biome-ignore lint/suspicious/noExplicitAny: the types of the SDK have other spellings than the SDK
  const { Status, Kind, Reason, PreDisputeProgram } = (sdk as any).Dispute
  for (const word of Object.values<string>(Status)) expect(pspStatusOf(word)).not.toBe('unknown')
  expect(KINDS.toSorted()).toEqual(Object.values<string>(Kind).sort())
  expect(REASONS.toSorted()).toEqual(Object.values<string>(Reason).sort())
  expect(PROGRAMS.toSorted()).toEqual(Object.values<string>(PreDisputeProgram).sort())
})
