import { expect, test } from 'vitest'
import { assemblePackage, type PackageInput } from '../../../../domain/evidence/package/package-content.ts'
import { client, input } from './evidence-input.ts'
import { definitionOf } from './texts/filled.ts'

const { evidence: limits, textTable: table = { fields: {} } } = definitionOf('stripe')

function assembled(change: Partial<PackageInput['evidence']> = {}, more: Partial<PackageInput> = {}) {
  const { exhibits: _, ...evidence } = input(change)
  if (!limits) throw new Error('Stripe accepts no evidence.')
  return assemblePackage({
    ...{ evidence, client: [], merchantName: 'Shoes Example Ltd', files: [], table, limits },
    purchases: { cardScheme: 'visa', reasonCode: '13.1', postingDate: null, disputed: {}, earlier: [] },
    ...more,
  })
}

test('a stored sentence of the account that is no longer valid is warned of, and Recoup’s own is said', () => {
  const statements = [{ id: 'delivered', text: 'It arrived {{ deliveredOn | date }}.', weight: 3 }]
  const { content, unusedSentences } = assembled({ overrides: { not_received: { version: 2, body: { statements } } } })
  const recoups = assembled()
  expect(content.warnings).toEqual([
    ...recoups.content.warnings,
    "not_received.delivered: Unknown fact deliveredOn. The account's sentence is not used.",
  ])
  expect(content.statements).toEqual(recoups.content.statements)
  expect([unusedSentences, recoups.unusedSentences]).toEqual([['not_received.delivered'], undefined])
})

test('what is lost has a name: a file, a text that is cut, a sentence that is not printed', () => {
  const file = (fileId: string, change: object = {}) => ({
    ...{ fileId, kind: 'delivery' as const, of: 'chargeback' as const, caption: null, highlights: [], ...change },
  })
  const policy = file('policy', { kind: 'policy', of: 'merchant' })
  const files = [...Array.from({ length: 21 }, (_, index) => file(`file ${index}`)), policy]
  const [text] = ['It was sent. '.repeat(2_000)]
  const statements = Array.from({ length: 70 }, (_, index) => ({ id: `own_${index}`, text: 'We sent it.', weight: 1 }))
  const overrides = { not_received: { version: 1, body: { statements } } }
  const { dropped } = assembled({ overrides }, { files, client: [client({ product_description: text })] })
  expect(dropped).toEqual(expect.arrayContaining(['file 20', 'product_description', 'own_69']))
  expect(dropped).not.toContain('policy')
  expect(assembled().dropped).toEqual([])
})

test('tables with only a part of their rows are named: order lines, mails, events', () => {
  const orderItems = Array.from({ length: 1_000 }, (_, index) => ({ name: `Shoe ${index}`, amount: '3.20 USD' }))
  const customerCommunication = Array.from({ length: 200 }, (_, index) => ({
    sent: '2026-03-07',
    body: `Mail ${index}`,
  }))
  const timeline = Array.from({ length: 41 }, (_, index) => ({ when: '2026-03-06', what: `Step ${index}` }))
  const rows = { orderItems, customerCommunication, timeline }
  const droppedOf = (most: number) => {
    const cut = Object.entries(rows).map(([name, entries]) => [name, entries.slice(0, most)])
    return assembled({ sources: [...input().sources, client(Object.fromEntries(cut))] }).dropped
  }
  expect(droppedOf(1_000)).toEqual(['Course of events', 'Order lines', 'Correspondence'])
  expect(droppedOf(20)).toEqual([])
})
