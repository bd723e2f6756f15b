import { describe, expect, test } from 'vitest'
import { composeEvidence } from '../../../../domain/evidence/compose.ts'
import { chooseExhibits, type ExhibitFile, lettersOf } from '../../../../domain/evidence/exhibits.ts'
import { EXHIBIT_KINDS, type ExhibitKind } from '../../../../domain/evidence/fact-catalogue.ts'
import { fileAbout, fileCaption } from '../../../../domain/evidence/file-metadata.ts'
import { CHARGEBACK, CLAIMS, client, FULL, input } from './evidence-input.ts'

const composed = composeEvidence(input())
const { statements } = composed
const file = (kind: ExhibitKind, of: ExhibitFile['of'] = 'chargeback', fileId = `${of} ${kind}`) => ({
  fileId,
  kind,
  of,
})
const choose = (...files: ExhibitFile[]) => chooseExhibits(files, composed)
const letters = (...files: ExhibitFile[]) =>
  choose(...files).exhibits.map(({ letter, fileId }) => `${letter} ${fileId}`)

describe('exhibits', () => {
  test('letters go by the weight of the sentences that the files show, then from the chargeback outwards', () => {
    expect(
      letters(file('receipt'), file('usage'), file('photo'), file('delivery', 'transaction'), file('delivery')),
    ).toEqual([
      'A chargeback delivery',
      'B transaction delivery',
      'C chargeback photo',
      'D chargeback usage',
      'E chargeback receipt',
    ])
  })

  test('a sentence names the letters of the kinds that show it', () => {
    const { exhibits } = choose(file('receipt'), file('delivery'), file('signature'))
    const delivered = statements.find(({ id }) => id === 'delivered')
    expect(delivered && lettersOf(delivered, exhibits)).toEqual(['A', 'B'])
  })

  test('a file for all chargebacks is enclosed only if a sentence refers to its kind', () => {
    const { exhibits, left } = choose(file('policy', 'merchant'), file('receipt', 'merchant'), file('policy'))
    expect(exhibits.map(({ fileId }) => fileId)).toEqual(['merchant receipt', 'chargeback policy'])
    expect(left).toEqual([{ ...file('policy', 'merchant'), why: 'no sentence refers to its kind' }])
  })

  test('against fraud, messages are not the only exhibit, unless the customer withdraws the dispute in them', () => {
    const points = { ...FULL, customerCommunication: undefined }
    const chosen = (extra: Record<string, unknown>, ...kinds: ExhibitKind[]) => {
      const sources = [client({ ...points, ...extra }), CHARGEBACK]
      const fraud = composeEvidence(input({ claim: CLAIMS.fraud_cnp, sources, exhibits: kinds }))
      return chooseExhibits(
        kinds.map((kind) => file(kind)),
        fraud,
      )
    }
    const alone = chosen({}, 'communication')
    expect(alone.exhibits).toEqual([])
    expect(alone.left.map(({ why }) => why)).toEqual([expect.stringMatching(/^correspondence alone/)])
    expect(chosen({}, 'communication', 'delivery').exhibits).toHaveLength(2)
    expect(chosen({ customerWithdrewDate: '2026-03-25' }, 'communication').exhibits).toHaveLength(1)
  })

  test('of 60 files 20 are enclosed: one of each kind that there is, then the weightiest; the others are named', () => {
    const many = Array.from({ length: 59 }, (_, index) => file('delivery', 'chargeback', `delivery ${index}`))
    const { exhibits, left } = choose(...many, file('communication'))
    expect(exhibits.map(({ letter }) => letter).join('')).toBe('ABCDEFGHIJKLMNOPQRST')
    expect(exhibits.filter(({ kind }) => kind === 'communication')).toHaveLength(1)
    expect(exhibits[0]?.fileId).toBe('delivery 0')
    expect(left).toHaveLength(40)
    expect(new Set(left.map(({ why }) => why))).toEqual(new Set(['too many files']))
    expect(choose(...EXHIBIT_KINDS.flatMap((kind) => [file(kind), file(kind, 'transaction')])).left).toHaveLength(4)
  })
})

describe('metadata of an upload', () => {
  const about = (metadata: object) => fileAbout(JSON.stringify(metadata))
  const none = { kind: null, chargeback: null, transaction: null, merchantWide: false }

  test('kind, and one of chargeback, transaction and all chargebacks', () => {
    expect(about({ kind: 'receipt', chargebackId: 'du_1' })).toEqual({ ...none, kind: 'receipt', chargeback: 'du_1' })
    expect(about({ transactionId: ' ch_1 ' })).toEqual({ ...none, transaction: 'ch_1' })
    expect(about({ scope: 'merchant', kind: 'policy' })).toEqual({ ...none, kind: 'policy', merchantWide: true })
    expect(about({ chargebackId: '0198C5A4-6C1E-7D60-9A55-2F4B1F6F7D10' }).chargeback).toMatch(/^0198c5a4/)
    expect(fileAbout(null)).toEqual(none)
  })

  test('the narrowest counts, even if it can’t be used', () => {
    const all = { chargebackId: 'du_1', transactionId: 'ch_1', scope: 'merchant' }
    expect(about(all)).toEqual({ ...none, chargeback: 'du_1' })
    expect(about({ ...all, chargebackId: {} })).toEqual(none)
  })

  test('no unknown word, and no id that may be an address, a name or a card number', () => {
    for (const bad of ['ada@example.com', 'Ada Byron', '4242424242424242', '', 'x'.repeat(256), 'Zoë', {}, true])
      expect(about({ transactionId: bad, kind: 'Receipt', scope: 'all' })).toEqual(none)
  })

  test('a caption is one printable line', () => {
    const caption = (text: unknown) => fileCaption(JSON.stringify({ caption: text }))
    expect(caption('paid\nwith 4242 4242 4242 4242\u202e')).toBe('paid with •••• 4242')
    expect(caption('word '.repeat(100))?.length).toBeLessThanOrEqual(200)
    expect([caption(' '), caption(7), fileCaption(null)]).toEqual([null, null, null])
  })
})
