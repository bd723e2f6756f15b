import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { cache, readAhead } from '../../../console/api/use-read.ts'
import { rememberOrder, undoneOf } from '../../../console/app/order.ts'
import { followAcceptance, followSubmission } from '../../../console/chargeback/follow.ts'

// No other test file uses these names: files that run in one process share what the console remembers.
const SHOP = 'shop of the followed'

let answer: (address: string) => object
let reads: string[]
beforeEach(() => {
  vi.stubGlobal('window', new EventTarget())
  vi.stubGlobal('document', { visibilityState: 'visible' })
  reads = []
  vi.stubGlobal('fetch', async (address: string) => {
    reads.push(address)
    return Response.json(answer(address))
  })
})
afterEach(() => {
  cache.forget()
  vi.unstubAllGlobals()
})

const item = (id: string) => ({ id, psp: 'adyen' as const, amount: 5, currency: 'EUR' })
const whys = () => undoneOf(SHOP).map(({ item: { id }, why }) => `${id}: ${why}`)
/** An event reports that something about the chargeback changed. */
const change = (id: string) => cache.invalidate(`readAcceptance ${JSON.stringify({ id })}`)

test('an acceptance of a review that fails when another case is shown is remembered, with the words of the PSP', async () => {
  rememberOrder({ ids: ['followed a', 'followed b'], isReview: true, back: '' })
  answer = () => ({ status: 'inProgress' })
  followAcceptance(item('followed a'), SHOP)
  await change('followed a')
  expect(whys()).toEqual([])
  answer = () => ({ status: 'failed', error: 'It is \u202elost.' })
  await change('followed a')
  expect(whys()).toEqual(['followed a: The acceptance failed: It is ⟨U+202E⟩lost.'])
  // The outcome is there: nothing more is read.
  const before = reads.length
  await change('followed a')
  expect(reads.length).toBe(before)
})

test('what the PSP confirms is not remembered, and what is of no review is not asked for', async () => {
  rememberOrder({ ids: ['followed c', 'followed d'], isReview: true, back: '' })
  answer = () => ({ data: [{ status: 'succeeded' }, { status: 'failed' }] })
  const before = whys()
  followSubmission(item('followed c'), SHOP)
  followSubmission(item('of no review'), SHOP)
  await cache.invalidate('listEvidenceSubmissions ')
  expect(whys()).toEqual(before)
  expect(new Set(reads)).toEqual(new Set(['/console/v1/chargebacks/followed%20c/evidence/submit']))
})

test('an earlier submission that failed is not taken for this one, which can’t be read', async () => {
  rememberOrder({ ids: ['followed e'], isReview: true, back: '' })
  answer = () => ({ data: [{ status: 'failed' }] })
  await readAhead('listEvidenceSubmissions', { params: { id: 'followed e' }, merchant: SHOP })
  answer = () => {
    throw new TypeError('no network')
  }
  followSubmission(item('followed e'), SHOP)
  await cache.invalidate('listEvidenceSubmissions ')
  expect(whys().filter((why) => why.startsWith('followed e'))).toEqual([])
  answer = () => ({ data: [{ status: 'failed' }] })
  await cache.invalidate('listEvidenceSubmissions ')
  expect(whys()).toContain('followed e: The evidence submission failed.')
})
