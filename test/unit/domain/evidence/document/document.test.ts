import { describe, expect, test } from 'vitest'
import { composeEvidence } from '../../../../../domain/evidence/compose.ts'
import { evidenceDocument } from '../../../../../domain/evidence/document/evidence-document.ts'
import { printedLine } from '../../../../../domain/evidence/document/printed-text.ts'
import type { Claim } from '../../../../../domain/evidence/plays.ts'
import { CHARGEBACK, CLAIMS, client, input, psp } from '../evidence-input.ts'
import { documentOf, EARLIER } from './document-input.ts'

describe('the document', () => {
  test('names dispute, claim, merchant and amount, and has the kept statements in their order', () => {
    const { document, composed, left } = documentOf()
    expect(document).toMatchObject({
      title: 'Evidence for dispute dp_7',
      merchant: 'Shoes Example Ltd',
      footer: 'Shoes Example Ltd · dispute dp_7 · 129.90 USD',
      // The case table says the one about the payment.
      statements: composed.statements.flatMap(({ text, inCaseTable }) => (inCaseTable ? [] : (text ?? []))),
    })
    expect(document.statements.length).toBeGreaterThan(5)
    expect(left).toEqual([])
    expect(document.case).toContainEqual(['Disputed amount', '129.90 USD'])
    expect(document.case).toContainEqual(['Date of the dispute', '20 March 2026, 08:00 UTC'])
  })

  test('says the reason with its code, and only the code of a claim without a name', () => {
    const subtitle = (play: keyof typeof CLAIMS, reasonCode: string) =>
      documentOf(
        {},
        {
          claim: CLAIMS[play],
          sources: [
            client({ deliveryDate: '2026-03-06', transactionOrderItemsProductName: 'shoes' }),
            { ...CHARGEBACK, points: { ...CHARGEBACK.points, reasonCode } },
          ],
        },
      ).document.subtitle
    expect(subtitle('not_received', '13.1')).toBe('Reason 13.1: goods or services not received')
    expect(subtitle('consumer_general', '4853')).toBe('Reason 4853: consumer dispute')
    expect(subtitle('general', '4999')).toBe('Reason 4999')
  })

  test('does not exist if only the payment is known, which the case table and no answer to a claim is', () => {
    const composed = composeEvidence(input({ sources: [CHARGEBACK], exhibits: [] }))
    expect(composed.statements.filter(({ kept }) => kept).map(({ id }) => id)).toEqual(['payment'])
    expect(evidenceDocument({ composed, merchantName: 'Shoes', exhibits: [] })).toBeNull()
  })

  test('says whose records a statement is from for which no file is enclosed', () => {
    const { sources } = documentOf(
      {},
      {
        claim: CLAIMS.fraud_cnp,
        exhibits: [],
        sources: [
          client({ transactionOrderIpAddress: '203.0.113.7', transactionOrderSteamId: 'user-12' }),
          psp({ avsResult: 'Y' }),
          CHARGEBACK,
        ],
      },
    ).document
    expect(sources).toBe(
      'Statement 1 is from the records of the payment provider. Statement 2 is from the records of the merchant.',
    )
    const { document } = documentOf({}, { claim: CLAIMS.fraud_cnp, earlier: EARLIER, exhibits: [] })
    expect(document.statements[0]).toMatch(/^Two earlier payments/)
    expect(document.sources).toMatch(/^Statements 1, .* are from the records of the merchant\.$/)
    expect(document.tables.find(({ title }) => title.startsWith('Earlier'))?.shows).toBe('Shows statement\u00a01.')
  })

  test('says of a statement with a file that the payment provider recorded it, too', () => {
    const receipt = {
      ...({ letter: 'A', kind: 'receipt', fileId: 'file-1', of: 'chargeback' } as const),
      ...{ caption: null, highlights: [] },
    }
    const of = (source: typeof psp) => {
      const composed = composeEvidence(
        input({
          claim: CLAIMS.authorization,
          exhibits: ['receipt'],
          sources: [source({ authorizationCode: '123456' }), CHARGEBACK],
        }),
      )
      return evidenceDocument({ composed, merchantName: 'Shoes', exhibits: [receipt] })?.document.sources
    }
    expect(of(psp)).toBe('The payment provider recorded statement 1 as well.')
    expect(of(client)).toBe('')
  })

  test('shows earlier payments for fraud alone, and then no other dates', () => {
    const titles = (claim: Claim) =>
      documentOf({}, { claim, earlier: EARLIER }).document.tables.map(({ title }) => title)
    expect(titles(CLAIMS.fraud_cnp)).toEqual(['Earlier payments with the same card'])
    expect(titles(CLAIMS.recurring)).toEqual(['Timeline'])
  })

  test('does not exist without a statement', () => {
    const composed = composeEvidence(input({ sources: [], exhibits: [] }))
    expect(evidenceDocument({ composed, merchantName: 'Shoes', exhibits: [] })).toBeNull()
  })

  test('does not print an amount of nothing', () => {
    const points = { ...CHARGEBACK.points, amount: { amount: '0', currency: 'USD' } }
    const { document } = documentOf(
      {},
      { sources: [client({ transactionOrderItemsProductName: 'shoes' }), { ...CHARGEBACK, points }] },
    )
    expect(JSON.stringify(document)).not.toContain('USD')
  })
})

describe('texts', () => {
  test('of another script are isolated, ASCII is left alone', () => {
    const { document } = documentOf({ transactionShippingToFullShippingAddress: 'شارع الملك فهد 12', orderId: 'طلب 7' })
    expect(document.statements.join('\n')).toContain(' to \u2068شارع الملك فهد 12\u2069 (tracking')
    expect(document.case).toContainEqual(['Order', '\u2068طلب 7\u2069'])
    expect(documentOf().document.statements.join('')).not.toMatch(/[\u2068\u2069]/)
  })

  test('a client’s own full stop is not doubled by an isolate', () => {
    const { document } = documentOf({ transactionOrderItemsProductDescription: 'Schöne Schuhe.' })
    expect(document.statements).toContain('The order was for: \u2068Schöne Schuhe.\u2069')
  })

  test('have no control characters, overrides or lone surrogates', () => {
    expect(printedLine('a\u0000b\u202ec\u2067d\ud800e\u0085f\tg', 100)).toBe('abcdef g')
    const { document } = documentOf({ orderId: 'A\u202e1\u0007' })
    expect(document.case).toContainEqual(['Order', 'A1'])
  })

  test('of more than 60 characters without a space can be broken every 30', () => {
    expect(printedLine('x'.repeat(60), 100)).toBe('x'.repeat(60))
    expect(
      printedLine('x'.repeat(61), 100)
        .split('\u200b')
        .map(({ length }) => length),
    ).toEqual([30, 30, 1])
  })

  test('are cut between characters, and an open isolate is closed', () => {
    expect(printedLine('😀😀😀', 2)).toBe('😀😀 […]')
    expect(printedLine('\u2068שלום עולם\u2069', 5)).toBe('\u2068שלום\u2069 […]')
  })
})

describe('bounds', () => {
  const statement = (id: number, text: string) => ({
    ...{ id: `s${id}`, kept: true, weight: 1 as const, facts: [], text, exhibits: [] },
  })
  const bounded = (texts: string[]) =>
    evidenceDocument({
      composed: { play: 'general', facts: {}, statements: texts.map((text, index) => statement(index, text)) },
      merchantName: 'x'.repeat(5_000),
      exhibits: [],
    })

  test('200 statements become 60, and the others are named', () => {
    const made = bounded(Array.from({ length: 200 }, (_, index) => `Sentence ${index}.`))
    expect(made?.document.statements).toHaveLength(60)
    expect(made?.left).toHaveLength(140)
    expect(made?.left[0]).toBe('s60')
  })

  test('statements are whole or left out: 100 KB in all, 2,000 characters each', () => {
    const made = bounded(['a'.repeat(2_001), ...Array.from({ length: 40 }, () => '語'.repeat(1_500))])
    expect(made?.left[0]).toBe('s0')
    expect(new TextEncoder().encode(made?.document.statements.join('')).length).toBeLessThanOrEqual(100_000)
    expect(made?.document.statements.length).toBeGreaterThan(15)
    expect(JSON.stringify(made?.document).length).toBeLessThan(200_000)
  })
})
