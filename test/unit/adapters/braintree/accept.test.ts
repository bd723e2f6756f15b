import { describe, expect, test } from 'vitest'
import { type PspFetch, pspFetch } from '../../../../adapters/shared/psp-fetch.ts'
import { VIEW_ONLY_KEYS } from '../../../../simulators/braintree/index.ts'
import { refusal, type Simulated, simulated } from './connect.ts'

async function open(braintree: Simulated) {
  const [reference = ''] = await braintree.create({ count: 1, status: 'open', stage: 'chargeback' })
  return { reference, idempotencyKey: `accept:${reference}` }
}

const REFUSED = '<api-error-response><errors><errors type="array"/></errors><message>no</message></api-error-response>'
const effects = (braintree: Simulated) => braintree.running.engine.ledger.effects.map(({ kind }) => kind)

describe('accepting', () => {
  test.each(['dispute', 'space', 'empty'] as const)('works if the response of Braintree is: %s', async (answers) => {
    await using braintree = await simulated({ answers })
    const request = await open(braintree)
    expect((await braintree.adapter.acceptDispute(request)).result).toBe('applied')
    expect(effects(braintree)).toEqual(['acceptance'])
  })

  test('reads before and after, and writes once', async () => {
    await using braintree = await simulated()
    const request = await open(braintree)
    await braintree.adapter.acceptDispute(request)
    const path = `disputes/${request.reference}`
    expect(braintree.calls()).toEqual([`GET ${path}`, `PUT ${path}/accept`, `GET ${path}`])
  })

  test('is applied if the response is a load balancer’s page, because the dispute is read again', async () => {
    await using braintree = await simulated()
    const request = await open(braintree)
    await braintree.control('POST', '/faults', { kind: 'unlabelled', count: 1, match: { method: 'PUT' } })
    expect((await braintree.adapter.acceptDispute(request)).result).toBe('applied')
  })

  test('is outcome_unknown after a 200 that is not Braintree’s if the dispute is still open', async () => {
    await using braintree = await simulated()
    const request = await open(braintree)
    await braintree.control('POST', '/faults', { kind: '200_html', count: 1, match: { method: 'PUT' } })
    expect((await refusal(braintree.adapter.acceptDispute(request))).kind).toBe('outcome_unknown')
    expect((await braintree.adapter.acceptDispute(request)).result).toBe('applied')
    expect(effects(braintree)).toEqual(['acceptance'])
  })

  test('is outcome_unknown if the dispute can’t be read after the write', async () => {
    await using braintree = await simulated()
    const request = await open(braintree)
    let reads = 0
    const flaky: PspFetch = (input, init) =>
      init?.method === 'GET' && ++reads > 1 ? Promise.reject(new TypeError('fetch failed')) : pspFetch(input, init)
    const error = await refusal(braintree.connect({ fetch: flaky }).acceptDispute(request))
    expect(error.kind).toBe('outcome_unknown')
  })

  test('is already_applied if another client accepted it in between (95704)', async () => {
    await using braintree = await simulated()
    const request = await open(braintree)
    const interfering: PspFetch = async (input, init) => {
      if (init?.method === 'PUT') await pspFetch(input, init)
      return pspFetch(input, init)
    }
    const receipt = await braintree.connect({ fetch: interfering }).acceptDispute(request)
    expect(receipt.result).toBe('already_applied')
    expect(effects(braintree)).toEqual(['acceptance'])
  })

  test('is rejected_final if another client finalized it in between (95704)', async () => {
    await using braintree = await simulated({ evidenceRequired: false })
    const request = await open(braintree)
    const interfering: PspFetch = async (input, init) => {
      if (init?.method === 'PUT') await pspFetch(input.replace('/accept', '/finalize'), init)
      return pspFetch(input, init)
    }
    expect((await refusal(braintree.connect({ fetch: interfering }).acceptDispute(request))).kind).toBe(
      'rejected_final',
    )
  })

  test('is already_applied for an accepted dispute, and nothing is sent', async () => {
    await using braintree = await simulated()
    const [reference = ''] = await braintree.create({ count: 1, status: 'accepted', stage: 'chargeback' })
    const receipt = await braintree.adapter.acceptDispute({ reference, idempotencyKey: 'k' })
    expect(receipt.result).toBe('already_applied')
    expect(effects(braintree)).toEqual([])
  })

  // auto_accepted: Braintree accepted it itself because nobody responded, so it is not our acceptance.
  test.each(['disputed', 'won', 'lost', 'expired', 'auto_accepted'])(
    'is rejected_final if the dispute is %s',
    async (status) => {
      await using braintree = await simulated()
      const [reference = ''] = await braintree.create({ count: 1, status, stage: 'chargeback' })
      const error = await refusal(braintree.adapter.acceptDispute({ reference, idempotencyKey: 'k' }))
      expect(error.kind).toBe('rejected_final')
      expect(effects(braintree)).toEqual([])
    },
  )

  test('works until the reply-by day ends in the latest time zone, when Braintree accepts it itself', async () => {
    await using braintree = await simulated()
    const [late = '', tooLate = ''] = await braintree.create({ count: 2, status: 'open', stage: 'chargeback' })
    const { replyByDate } = JSON.parse((await braintree.adapter.fetchDispute(late)).text)
    const { dueDate, answerable } = await braintree.adapter.describeEvidence(late)
    expect([dueDate, answerable]).toEqual([new Date(Date.parse(replyByDate) + 36 * 3_600_000).toISOString(), true])
    const left = () => Math.floor(Date.parse(String(dueDate)) / 1000) - braintree.running.engine.now()
    await braintree.control('POST', '/clock', { seconds: left() - 60 })
    expect((await braintree.adapter.acceptDispute({ reference: late, idempotencyKey: 'k' })).result).toBe('applied')
    const { dueDate: otherDue } = await braintree.adapter.describeEvidence(tooLate)
    const over = Math.floor(Date.parse(String(otherDue)) / 1000) - braintree.running.engine.now()
    await braintree.control('POST', '/clock', { seconds: over + 1 })
    const error = await refusal(braintree.adapter.acceptDispute({ reference: tooLate, idempotencyKey: 'k' }))
    expect(error.message).toContain('auto_accepted')
  })

  test('is invalid_request for an unknown status', async () => {
    await using braintree = await simulated()
    const request = await open(braintree)
    await braintree.control('PATCH', `/disputes/${request.reference}`, { status: 'of_next_year' })
    expect((await refusal(braintree.adapter.acceptDispute(request))).kind).toBe('invalid_request')
    expect(effects(braintree)).toEqual([])
  })

  test('neither accepts nor reads nor contests a dispute of another merchant account at the same gateway', async () => {
    await using braintree = await simulated()
    const [reference = ''] = await braintree.create({ count: 1, status: 'open', stage: 'chargeback', currency: 'EUR' })
    const ours = braintree.connect({ merchantAccountCodes: ['ma_gbp', 'MA_EUR'] })
    expect((await ours.fetchDispute(reference)).reference).toBe(reference)
    const theirs = braintree.connect({ merchantAccountCodes: ['ma_usd'] })
    const request = { reference, idempotencyKey: 'k' }
    const packet = { ...request, digest: 'd'.repeat(64), files: {}, texts: { GENERAL: 'x' } }
    for (const work of [
      () => theirs.fetchDispute(reference),
      () => theirs.acceptDispute(request),
      () => theirs.describeEvidence(reference),
      () => theirs.stageEvidence(packet),
      () => theirs.submitEvidence(packet),
      () => theirs.probe({ kind: 'acceptance', reference }),
    ])
      expect((await refusal(work())).kind).toBe('not_found')
    expect(effects(braintree)).toEqual([])
  })

  test('refuses an id that the SDK would not send, with our own error', async () => {
    await using braintree = await simulated()
    const error = await refusal(braintree.adapter.acceptDispute({ reference: '../x', idempotencyKey: 'k' }))
    expect(error.kind).toBe('invalid_request')
    expect(braintree.calls()).toEqual([])
  })
})

describe('credentials', () => {
  test('a view-only key passes the check and fails on the action', async () => {
    await using braintree = await simulated()
    const request = await open(braintree)
    const { publicKey, privateKey: secretKey } = VIEW_ONLY_KEYS
    const adapter = braintree.connect({ secret: { publicKey, secretKey } })
    const { findings } = await adapter.checkCredentials()
    expect(findings.map(({ state }) => state)).toEqual(['ok', 'unverified', 'unverified'])
    const error = await refusal(adapter.acceptDispute(request))
    expect([error.kind, error.message]).toEqual(['permission_missing', expect.stringContaining('and not answer them')])
  })

  test.each([
    ['400', 'ok'],
    ['403', 'ok'],
    ['404', 'ok'],
    ['422', 'ok'],
    ['401', 'auth_failed'],
    ['429', 'rate_limited'],
    ['503', 'unavailable'],
  ])('%s for the merchant accounts, which are optional: %s', async (status, expected) => {
    await using braintree = await simulated()
    const withoutAccounts: PspFetch = async (input, init) => {
      const response = await pspFetch(input, init)
      if (!input.includes('/merchant_accounts')) return response
      return new Response(REFUSED, { status: Number(status), headers: { 'content-type': 'application/xml' } })
    }
    const checked = braintree.connect({ fetch: withoutAccounts }).checkCredentials()
    const outcome = await checked.then(({ findings }) => findings[0]?.state).catch(({ kind }) => kind)
    expect(outcome).toBe(expected)
  })

  test('one search that finds nothing is enough, next to the merchant accounts', async () => {
    await using braintree = await simulated()
    await braintree.adapter.checkCredentials()
    expect(braintree.calls()).toEqual(['POST disputes/advanced_search', 'GET merchant_accounts'])
  })

  test.each([
    ['409', 'unavailable'],
    ['500', 'unavailable'],
    ['503_empty', 'unavailable'],
    ['429', 'rate_limited'],
  ])(
    '%s of the search says nothing about the keys: it is %s, and the check can be repeated',
    async (kind, expected) => {
      await using braintree = await simulated()
      await braintree.control('POST', '/faults', { kind, count: 1 })
      expect((await refusal(braintree.adapter.checkCredentials())).kind).toBe(expected)
      expect((await braintree.adapter.checkCredentials()).pspAccount).toBe('recoupdemo')
    },
  )

  test.each(['somebodyelse', 'SomebodyElseECOM', 'recoupinvented', 'recoupsecond'])(
    'the merchant %s, which the keys do not have, is config_invalid',
    async (externalIdentifier) => {
      await using braintree = await simulated()
      const error = await refusal(braintree.connect({ externalIdentifier }).checkCredentials())
      expect([error.kind, error.message]).toEqual(['config_invalid', expect.stringContaining('no such merchant')])
    },
  )

  test('merchant accounts that the gateway does not have are refused, and the error lists those it has', async () => {
    await using braintree = await simulated()
    const [reference = ''] = await braintree.create({ count: 1 })
    await braintree.control('PATCH', `/disputes/${reference}`, { fields: { merchantAccountId: 'own_shop' } })
    const check = (...merchantAccountCodes: string[]) => braintree.connect({ merchantAccountCodes }).checkCredentials()
    expect((await check('MA_EUR', 'own_shop')).pspAccount).toBe('recoupdemo')
    const error = await refusal(check('ma_usd', 'ma_zzz'))
    expect(error.kind).toBe('config_invalid')
    expect(error.message).toMatch(/no merchant account ma_zzz\. Replace it .* It has: ma_usd, ma_eur, .*own_shop\.$/)
    expect((await refusal(check('ma_yyy', 'ma_zzz'))).message).toContain('no merchant accounts ma_yyy, ma_zzz')
  })

  test('merchant accounts are read to the last page, and are unverified if they can’t be listed', async () => {
    await using braintree = await simulated()
    const references = await braintree.create({ count: 60 })
    for (const [at, reference] of references.entries())
      await braintree.control('PATCH', `/disputes/${reference}`, { fields: { merchantAccountId: `shop_${at}` } })
    const check = (more: object) => braintree.connect({ merchantAccountCodes: ['shop_59'], ...more }).checkCredentials()
    expect((await check({})).findings[2]?.state).toBe('ok')
    const { publicKey, privateKey: secretKey } = VIEW_ONLY_KEYS
    const findings = (await check({ secret: { publicKey, secretKey }, merchantAccountCodes: ['no_such'] })).findings
    expect(findings[2]?.state).toBe('unverified')
  })

  test.each([
    [{ secretKey: 'k' }, 'm', 'publicKey'],
    [{ publicKey: '', secretKey: 'k' }, 'm', 'publicKey'],
    [{ publicKey: 'a:b', secretKey: 'k' }, 'm', 'publicKey'],
    [{ publicKey: 'p', secretKey: 'a b' }, 'm', 'secretKey'],
    [{ publicKey: 'p', secretKey: 'access_token$sandbox$x' }, 'm', 'OAuth'],
    [{ publicKey: 'p', secretKey: 'k' }, 'mer/chant', 'externalIdentifier'],
    [{ publicKey: 'p', secretKey: 'k' }, '', 'externalIdentifier'],
  ])('%j at %s is refused before any call', async (secret, externalIdentifier, names) => {
    await using braintree = await simulated()
    expect(() => braintree.connect({ secret, externalIdentifier })).toThrow(names)
  })
})
