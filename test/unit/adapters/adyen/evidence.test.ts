import { describe, expect, test } from 'vitest'
import type { Reason } from '../../../../adapters/adyen/client.ts'
import { requirementsOf } from '../../../../adapters/adyen/evidence.ts'
import { stateIn } from '../../../../adapters/adyen/fetch.ts'
import { planSubmission } from '../../../../adapters/adyen/plan.ts'
import { chooseReason, groupsOf } from '../../../../adapters/adyen/reasons.ts'
import { type Item, item, NOW, opened, rawOf } from './adyen.ts'

function reason(code: string, ...documents: string[]): Reason {
  return {
    code,
    satisfied: false,
    documents: documents.map((document) => {
      const [type = '', level = 'Required', available] = document.split(':')
      return { type, level, available: available === 'there' }
    }),
  }
}

const SUPPLY = reason('SupplyDefenseMaterial', 'DefenseMaterial', 'TIDorInvoice:Optional')
const requirements = (items: Item[], reasons: Reason[] | null = [SUPPLY]) =>
  requirementsOf(stateIn(rawOf(items)), reasons, NOW)
const file = (fileId: string, changes = {}) => ({
  fileId,
  name: 'a.pdf',
  type: 'application/pdf',
  bytes: 10,
  sha256: fileId,
  ...changes,
})

describe('the defence reason', () => {
  test('with a document for all schemes comes first', () => {
    const reasons = [
      SUPPLY,
      reason(
        'AdditionalInformation',
        'DefenseMaterial',
        'AdditionalInformation',
        'AlternativeDefenseMaterial:AlternativeRequired',
      ),
    ]
    expect(chooseReason(reasons, '10.4')?.code).toBe('AdditionalInformation')
  })

  test('with generic material comes next', () => {
    expect(chooseReason([reason('GoodsNotReturned', 'GoodsNotReturned'), SUPPLY], '4853')?.code).toBe(
      'SupplyDefenseMaterial',
    )
  })

  test('that matches the reason code comes next, then the one with the fewest requirements', () => {
    const reasons = [reason('A', 'One', 'Two'), reason('ServicesProvided', 'ProofOfGoodsOrServicesProvided', 'Two')]
    expect(chooseReason(reasons, '13.1')?.code).toBe('ServicesProvided')
    expect(chooseReason([reason('A', 'One', 'Two'), reason('B', 'One')], '99')?.code).toBe('B')
  })

  test("of Adyen's own automatic defences is never chosen", () => {
    const automatic = [
      reason('AutomaticCompellingEvidence', 'DefenseMaterial'),
      reason('AutomaticRFIresponse', 'DefenseMaterial'),
    ]
    expect(chooseReason(automatic, '10.4')).toBeNull()
  })

  test('may have an unknown code and unknown levels', () => {
    expect(chooseReason([reason('ReasonOfNextYear', 'Hologram:Somehow')], 'X9')?.code).toBe('ReasonOfNextYear')
  })

  test.each(['Optional', 'Somehow'])('without requirements (%s) comes last, and still accepts a file', (level) => {
    const nothing = reason('A', `Hologram:${level}`)
    expect(chooseReason([nothing, SUPPLY], '99')?.code).toBe('SupplyDefenseMaterial')
    expect(chooseReason([nothing, reason('B', 'One', 'Two')], '99')?.code).toBe('B')
    expect(planSubmission(requirements([opened()], [nothing]), { files: [file('a')], texts: {} }).steps).toEqual([
      { do: 'upload', fileId: 'a', field: 'A/Hologram' },
      { do: 'stage' },
      { do: 'submit' },
    ])
  })

  test('may have a document for all schemes, which replaces all required documents', () => {
    const forAllSchemes = requirements(
      [opened()],
      [reason('A', 'One', 'Two:OneOrMore', 'AlternativeDefenseMaterial:AlternativeRequired')],
    )
    expect(planSubmission(forAllSchemes, { files: [file('a')], texts: {} }).steps).toEqual([
      { do: 'upload', fileId: 'a', field: 'A/AlternativeDefenseMaterial' },
      { do: 'stage' },
      { do: 'submit' },
    ])
  })

  test('groups its OneOrMore documents, and each Required document is its own group', () => {
    expect(groupsOf(reason('M', 'Date', 'Delivery:OneOrMore', 'Pickup:OneOrMore', 'More:Optional'))).toEqual([
      ['Date'],
      ['Delivery', 'Pickup'],
    ])
  })
})

describe('a dispute accepts', () => {
  test('the documents of its reason, with the limits of files', () => {
    expect(requirements([opened()])).toMatchObject({
      answerable: true,
      fileFields: ['SupplyDefenseMaterial/DefenseMaterial', 'SupplyDefenseMaterial/TIDorInvoice'],
      requiredFields: [['SupplyDefenseMaterial/DefenseMaterial']],
      fileTypes: ['application/pdf', 'image/jpeg', 'image/tiff'],
      maxPages: null,
      dueDate: '2026-03-20T02:03:08.000Z',
      oneShot: true,
    })
  })

  test('up to 4 pages in a request for information', () => {
    const rfi = item('REQUEST_FOR_INFORMATION', 1, {}, { defensePeriodEndsAt: '2026-03-09T00:00:00Z' })
    expect(requirements([rfi])).toMatchObject({ answerable: true, maxPages: 4 })
  })

  test.each([
    ['mc', 19],
    ['maestro', 19],
    [undefined, 19],
    ['amex', null],
  ])('up to 19 pages if it may be Mastercard’s: %s', (chargebackSchemeCode, maxPages) => {
    const dispute = { ...opened(1, { chargebackSchemeCode }), paymentMethod: undefined }
    expect(requirements([dispute]).maxPages).toBe(maxPages)
  })

  test('up to 3 MB for Discover and Diners', () => {
    expect(requirements([opened(1, { chargebackSchemeCode: 'diners' })]).maxFileBytes).toBe(3 * 1024 * 1024)
  })

  test('up to 800 KB for a payment in Mexican pesos', () => {
    const pesos = { ...opened(), amount: { currency: 'MXN', value: 1000 } }
    expect(requirements([pesos]).maxFileBytes).toBe(800 * 1024)
    const large = file('a', { type: 'image/jpeg', bytes: 800 * 1024 + 1 })
    expect(planSubmission(requirements([pesos]), { files: [large], texts: {} }).steps).toEqual([])
  })

  test('only PDF for Klarna', () => {
    const klarna = { ...opened(1, { chargebackSchemeCode: undefined }), paymentMethod: 'klarna' }
    expect(requirements([klarna]).fileTypes).toEqual(['application/pdf'])
    const picture = file('a', { type: 'image/jpeg' })
    expect(planSubmission(requirements([klarna]), { files: [picture], texts: {} }).steps).toEqual([])
  })

  test.each([
    ['no defence reason', [opened()], []],
    ['defence reasons that Adyen does not return', [opened()], null],
    ['no due date', [item('CHARGEBACK', 1)], [SUPPLY]],
    ['a due date in the past', [opened(1, { defensePeriodEndsAt: '2026-02-20T00:00:00Z' })], [SUPPLY]],
    ['an automatic defence', [opened(1, { autoDefended: 'true', defendable: 'false' })], [SUPPLY]],
  ])('nothing with %s, and says why', (_, items, reasons) => {
    const { answerable, reason: why } = requirements(items as Item[], reasons as Reason[] | null)
    expect(answerable).toBe(false)
    expect((why ?? '').length).toBeGreaterThan(15)
  })
})

describe('planning a submission', () => {
  const forOpen = requirements([opened()])

  test('puts a file without a field into the general field, and drops the next by name', () => {
    const plan = planSubmission(forOpen, { files: [file('a'), file('b')], texts: { note: 'x' } })
    expect(plan.steps).toEqual([
      { do: 'upload', fileId: 'a', field: 'SupplyDefenseMaterial/DefenseMaterial' },
      { do: 'stage' },
      { do: 'submit' },
    ])
    expect(plan.dropped.map((drop) => drop.what)).toEqual(['b', 'note'])
  })

  test('accepts a document type alone as the field', () => {
    const plan = planSubmission(forOpen, { files: [file('a'), file('b', { field: 'TIDorInvoice' })], texts: {} })
    expect(plan.steps[0]).toEqual({ do: 'upload', fileId: 'b', field: 'SupplyDefenseMaterial/TIDorInvoice' })
  })

  test('sends nothing without a required document, and says which is missing', () => {
    const plan = planSubmission(forOpen, { files: [file('a', { field: 'TIDorInvoice' })], texts: {} })
    expect(plan.steps).toEqual([])
    expect(plan.dropped.map((drop) => drop.why).join(' ')).toMatch(/DefenseMaterial/)
  })

  test.each([
    ['a PNG', { type: 'image/png' }],
    ['a PDF of more than 2 MB', { bytes: 2 * 1024 * 1024 + 1 }],
  ])('drops %s', (_, changes) => {
    expect(planSubmission(forOpen, { files: [file('a', changes)], texts: {} }).steps).toEqual([])
  })

  test('accepts a picture of 9 MB', () => {
    const picture = file('a', { type: 'image/jpeg', bytes: 9 * 1024 * 1024 })
    expect(planSubmission(forOpen, { files: [picture], texts: {} }).steps).toHaveLength(3)
  })
})
