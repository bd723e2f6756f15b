import { describe, expect, test } from 'vitest'
import {
  type Details,
  type Draft,
  hasPackage,
  requestedBy,
  requestOf,
  type Told,
} from '../../../console/chargeback/data.ts'
import { BLOCKED, isAutomatic } from '../../../console/chargeback/hold.tsx'
import { faultOf, filledIn, LISTS, type ListPoint } from '../../../console/chargeback/missing/list-points.ts'
import { FILE_KINDS, faultOfFile, isTyped, MOST_BYTES, wantedOf } from '../../../console/chargeback/missing/wanted.ts'
import { changedSince } from '../../../console/parts/read-before.ts'
import { SERVICE_OWNED } from '../../../domain/data-points.ts'
import { EXHIBIT_KINDS, FACT_NAMES, FACTS, settableNames } from '../../../domain/evidence/fact-catalogue.ts'
import { BLOCKERS } from '../../../domain/evidence/package/blockers.ts'
import { readCorrespondence } from '../../../domain/evidence/structures/correspondence.ts'
import { readOrderItems } from '../../../domain/evidence/structures/order-items.ts'
import { readTimeline } from '../../../domain/evidence/structures/timeline.ts'
import { TRANSACTION_FIELDS } from '../../../domain/transaction-record.ts'

const NOW = new Date('2026-11-24T09:40:00Z')

const told = (what: string, more: Partial<Told> = {}): Told => ({
  ...{ when: '2026-01-31T09:30:00.000Z', source: 'api', what },
  ...more,
})

describe('words of the API have a place', () => {
  test('everything that prevents the automatic submission', () => {
    expect(Object.keys(BLOCKED).toSorted()).toEqual([...BLOCKERS].toSorted())
  })

  test('every kind of file', () => {
    expect(FILE_KINDS).toEqual(EXHIBIT_KINDS)
  })
})

describe('what is missing', () => {
  test.each([
    ['deliverySignedBy', ['deliverySignedBy'], []],
    ['a and b or a file of kind signature, delivery', ['a', 'b'], ['signature', 'delivery']],
    ['a file of kind policy', [], ['policy']],
    ['a or b', ['a', 'b'], []],
  ])('%s', (text, names, kinds) => {
    expect(wantedOf(text)).toEqual({ text, names, kinds })
  })

  test('every data point that can be asked for is a field, but for earlier purchases', () => {
    const names = (Object.keys(FACTS) as (keyof typeof FACTS)[]).flatMap((fact) => settableNames(fact))
    for (const name of names) expect(wantedOf(name).names, name).toEqual([name])
    const ofRecords = TRANSACTION_FIELDS.filter((name) => name !== 'transactionId' && SERVICE_OWNED.has(name))
    expect(ofRecords).not.toEqual([])
    expect(new Set(names.filter((name) => !isTyped(name)))).toEqual(
      new Set(['earlier transactions', 'two earlier transactions', ...ofRecords]),
    )
    const tables = FACT_NAMES.filter((fact) => ['items', 'messages', 'events'].includes(FACTS[fact].kind))
    expect(Object.keys(LISTS).toSorted()).toEqual(tables.toSorted())
  })

  test('the parts of a list are those that are read', () => {
    const all = (name: string) => [
      Object.fromEntries((LISTS[name]?.parts ?? []).map((part) => [part.name, part.hint ?? 'x'])),
    ]
    const items = readOrderItems('orderItems', all('orderItems'), 'USD')
    expect(items).toMatchObject({ faults: [], value: { lines: [{ name: 'x', quantity: '2', sku: 'x' }] } })
    const messages = readCorrespondence('customerCommunication', all('customerCommunication'), NOW)
    expect(messages).toMatchObject({
      faults: [],
      value: { messages: [{ from: 'x', to: 'x', body: 'x', caption: 'x' }] },
    })
    expect(readTimeline('timeline', all('timeline'), NOW)).toMatchObject({
      faults: [],
      value: { events: [{ what: 'x' }] },
    })
  })

  test('entries that are blank are not sent, and what must be filled is named', () => {
    const [list] = [LISTS.customerCommunication as ListPoint]
    expect(faultOf(list, [{}, { body: '  ' }])).toMatchObject({ at: 0, part: { name: 'sent' } })
    expect(faultOf(list, [{}, { sent: '2026-03-07', from: 'Ada' }])).toMatchObject({ at: 1, part: { name: 'body' } })
    const entries = [{ sent: ' 2026-03-07', body: 'It arrived.', to: '' }, { from: '' }]
    expect(faultOf(list, entries)).toBeUndefined()
    expect(filledIn(entries)).toEqual([{ sent: '2026-03-07', body: 'It arrived.' }])
  })
})

test.each([
  [{ type: 'application/pdf', size: 10 }, undefined],
  [{ type: 'image/png', size: MOST_BYTES }, undefined],
  [{ type: 'image/svg+xml', size: 10 }, /PDF, PNG or JPEG/],
  [{ type: '', size: 10 }, /PDF, PNG or JPEG/],
  [{ type: 'image/jpeg', size: MOST_BYTES + 1 }, /6 MB is the most/],
  [{ type: 'application/pdf', size: 0 }, /empty/],
])('a file of %j', (file, fault) => {
  if (fault) expect(faultOfFile(file)).toMatch(fault)
  else expect(faultOfFile(file)).toBeUndefined()
})

describe('an act stops for each thing that a person decided by', () => {
  const shown = { amount: 1, currency: 'EUR', lifecycleStage: 'inquiry', pspStatus: 'needs_response' } as Details

  test.each<[string, Partial<Details>]>([
    ['the amount', { amount: 2 }],
    ['the currency', { currency: 'USD' }],
    ['the stage', { lifecycleStage: 'chargeback' }],
    ['the status at the PSP', { pspStatus: 'under_review' }],
    ['the due date', { dueDate: '2026-01-01T00:00:00Z' }],
  ])('%s', (words, change) => {
    expect(changedSince(shown, { ...shown, ...change })).toEqual([words])
  })

  test('several of them, and for nothing else', () => {
    expect(changedSince(shown, { ...shown, amount: 2, lifecycleStage: 'claim' })).toEqual(['the amount', 'the stage'])
    const alike: Details = { ...shown, status: 'building_evidence', winProbability: 3, roiRecommendation: 'Accept' }
    expect(changedSince(shown, alike)).toEqual([])
  })
})

test('a package is asked for once the timeline reports one that was not erased', () => {
  expect(hasPackage([told('ingested')])).toBe(false)
  expect(hasPackage([told('evidence package built'), told('status changed')])).toBe(true)
  expect(hasPackage([told('evidence package refused')])).toBe(true)
  expect(hasPackage([told('evidence package built'), told('evidence package erased')])).toBe(false)
})

test('a request of an earlier round is none of this one', () => {
  const submitted = told('evidence submission requested')
  const again = told('status changed', { after: { status: 'waiting_for_data' } })
  expect(requestOf([told('ingested'), submitted], submitted.what)).toBe(submitted)
  expect(requestOf([submitted, again, told('data points changed')], submitted.what)).toBeUndefined()
  const erased = told('status changed', {
    before: { status: 'building_evidence' },
    after: { status: 'waiting_for_data' },
  })
  expect(requestOf([submitted, told('evidence submission failed'), erased], submitted.what)).toBe(submitted)
  expect(requestOf([submitted, again, { ...submitted, by: 'Omar' }], submitted.what)).toMatchObject({ by: 'Omar' })
})

test('an automatic submission is held only before anything was submitted', () => {
  const draft = (state: 'current' | 'frozen', ...blockedBy: string[]) =>
    ({ state, automatic: { policy: 'auto' as const, blockedBy } }) as unknown as Draft
  expect(isAutomatic(draft('current'))).toBe(true)
  expect(isAutomatic(draft('current', 'held'))).toBe(true)
  expect(isAutomatic(draft('frozen'))).toBe(false)
  expect(isAutomatic(draft('current', 'command_exists'))).toBe(false)
})

test('who requested it: a name, the policy, or nobody that is known', () => {
  expect(requestedBy(told('acceptance requested', { by: 'Jana' }))).toBe('Jana')
  expect(requestedBy(told('evidence submission requested', { source: 'automation' }))).toBe('the policy')
  expect(requestedBy(told('acceptance requested'))).toBe('')
})
