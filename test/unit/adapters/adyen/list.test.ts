import { describe, expect, test } from 'vitest'
import { adyen } from '../../../../adapters/adyen/index.ts'
import { toChargeback } from '../../../../adapters/adyen/translate.ts'
import type { Inbox } from '../../../../adapters/contract.ts'
import { connectAdyen, DISPUTE, delivery, type Item, inboxOf, item, NOW, opened, PAYMENT, rawOf } from './adyen.ts'

async function readAll(inbox: Inbox, environment: 'sandbox' | 'production' = 'sandbox') {
  const adapter = connectAdyen({ inbox, environment })
  const returned: { reference: string | null; text: string }[] = []
  let cursor = { position: null as string | null }
  for (let hasMore = true; hasMore; ) {
    const page = await adapter.listDisputes({ cursor, oldestOpen: null })
    returned.push(...page.items)
    cursor = page.cursor
    hasMore = page.hasMore
  }
  return { returned, cursor, adapter }
}

const one = (items: Item[]) => items.map((value) => delivery([value]))
const statusOf = (raw: { reference: string | null; text: string } | undefined) => {
  const translation = raw && toChargeback(raw)
  return translation?.kind === 'chargeback' ? translation.facts.pspStatus : translation?.reason
}
const bare = { originalReference: undefined }
const asPayment = { originalReference: undefined, pspReference: PAYMENT }

describe('reading the inbox', () => {
  test('notifications about one dispute are one dispute, whatever is between them', async () => {
    const others = Array.from({ length: 150 }, (_, index) => item('CAPTURE', 2, { pspReference: `CAPTURE${index}` }))
    const { returned } = await readAll(inboxOf(one([opened(1), ...others, item('INFORMATION_SUPPLIED', 2)])))
    expect(returned.map((raw) => raw.reference)).toEqual([DISPUTE])
    expect(statusOf(returned[0])).toBe('under_review')
  })

  test('an unrelated notification with the dispute’s reference, one page later, does not hide the dispute', async () => {
    const others = Array.from({ length: 100 }, (_, index) => item('CAPTURE', 2, { pspReference: `CAPTURE${index}` }))
    const unrelated = item('SHOPPER_DANCED', 3, { additionalData: {} })
    const { returned } = await readAll(inboxOf(one([opened(1), ...others, unrelated])))
    expect(returned.map((raw) => raw.reference)).toEqual([DISPUTE])
  })

  test('a page reads the inbox twice, however many disputes it contains', async () => {
    const disputes = Array.from({ length: 40 }, (_, index) => ({
      ...opened(1),
      pspReference: `DISPUTE${index}`,
      originalReference: `PAYMENT${index}`,
    }))
    const inbox = inboxOf(one(disputes))
    const reads: string[] = []
    const counted =
      <Input extends unknown[], Result>(name: string, work: (...input: Input) => Result) =>
      (...input: Input) => {
        reads.push(name)
        return work(...input)
      }
    const counting: Inbox = {
      read: counted('read', inbox.read),
      about: counted('about', inbox.about),
      aboutAll: counted('aboutAll', inbox.aboutAll),
    }
    const { returned } = await readAll(counting)
    expect(returned).toHaveLength(40)
    expect(reads).toEqual(['read', 'aboutAll'])
  })

  test('reading continues after pages without a dispute', async () => {
    const captures = Array.from({ length: 230 }, (_, index) => item('CAPTURE', 2, { pspReference: `CAPTURE${index}` }))
    const { returned, cursor } = await readAll(inboxOf(one(captures)))
    expect(returned).toEqual([])
    expect(cursor.position).toBe('000230')
  })

  test('every order of arrival gives the same bytes', async () => {
    const life = one([
      opened(1),
      item('INFORMATION_SUPPLIED', 2),
      item('CHARGEBACK_REVERSED', 4),
      item('SECOND_CHARGEBACK', 6),
    ])
    const [first] = (await readAll(inboxOf(life))).returned
    const [second] = (await readAll(inboxOf(life.toReversed()))).returned
    expect(second?.text).toBe(first?.text)
  })

  test('the items keep their bytes', async () => {
    const body = delivery([opened(1)]).replace('"success":"true"', '"success" : "true"')
    const { returned } = await readAll(inboxOf([body]))
    expect(returned[0]?.text).toContain('"success" : "true"')
  })

  test('a list returns the same as a fetch', async () => {
    const { returned, adapter } = await readAll(inboxOf(one([opened(1), item('CHARGEBACK', 3)])))
    expect(await adapter.fetchDispute(DISPUTE)).toEqual(returned[0])
  })

  test('a dispute without notifications is not_found', async () => {
    await expect(connectAdyen().fetchDispute('UNKNOWN')).rejects.toMatchObject({ kind: 'not_found' })
  })

  test('a request for information, a fraud notice and the chargeback of one payment are separate disputes', async () => {
    const notice = item('NOTIFICATION_OF_FRAUD', 1, { pspReference: 'NOTICE0000000000' })
    const inquiry = item('REQUEST_FOR_INFORMATION', 2, { pspReference: 'INQUIRY000000000' })
    const { returned } = await readAll(inboxOf(one([notice, inquiry, opened(3), item('CHARGEBACK', 4)])))
    expect(returned.map((raw) => [raw.reference, statusOf(raw)])).toEqual([
      ['NOTICE0000000000', 'not_applicable'],
      ['INQUIRY000000000', 'needs_response'],
      [DISPUTE, 'needs_response'],
    ])
  })

  test('several items in one delivery are all read', async () => {
    const second = item('CHARGEBACK', 2, { pspReference: 'SECONDDISPUTE000' })
    const { returned } = await readAll(inboxOf([delivery([opened(1), second])]))
    expect(returned.map((raw) => raw.reference)).toEqual([DISPUTE, 'SECONDDISPUTE000'])
  })
})

describe('a notification without originalReference', () => {
  test('belongs to a dispute by the dispute’s reference', async () => {
    const { returned } = await readAll(inboxOf(one([opened(1), item('CHARGEBACK_REVERSED', 4, bare)])))
    expect(returned.map(statusOf)).toEqual(['won'])
  })

  test('belongs to a dispute by the reference of its payment', async () => {
    const { returned, adapter } = await readAll(inboxOf(one([opened(1), item('SECOND_CHARGEBACK', 4, asPayment)])))
    expect(returned.map((raw) => raw.reference)).toEqual([DISPUTE])
    expect(statusOf(await adapter.fetchDispute(DISPUTE))).toBe('lost')
  })

  test('belongs to the open one of two disputes of a payment', async () => {
    const later = item('NOTIFICATION_OF_CHARGEBACK', 9, { pspReference: 'LATERDISPUTE0000' })
    const { adapter } = await readAll(inboxOf(one([opened(1), later, item('CHARGEBACK_REVERSED', 4, asPayment)])))
    expect(statusOf(await adapter.fetchDispute(DISPUTE))).toBe('won')
    expect(statusOf(await adapter.fetchDispute('LATERDISPUTE0000'))).toBe('needs_response')
  })

  test.each(['NOTIFICATION_OF_FRAUD', 'REQUEST_FOR_INFORMATION'])(
    'never belongs to a %s, however new',
    async (code) => {
      const other = { pspReference: 'OTHERDISPUTE0000' }
      const others = [item(code, 3, other), item('INFORMATION_SUPPLIED', 3, other)]
      const unmatched = item('CHARGEBACK_REVERSED', 4, asPayment)
      const { adapter } = await readAll(inboxOf(one([opened(1), ...others, unmatched])))
      expect(statusOf(await adapter.fetchDispute(DISPUTE))).toBe('won')
      expect(statusOf(await adapter.fetchDispute('OTHERDISPUTE0000'))).not.toBe('won')
      const before = await readAll(inboxOf(one([...others, unmatched])))
      expect(before.returned.map(statusOf)).toEqual([
        expect.not.stringContaining('won'),
        expect.stringMatching(/may name/),
      ])
    },
  )

  test('is quarantined if its payment has no known dispute', async () => {
    const paid = item('AUTHORISATION', 1, asPayment)
    const { returned } = await readAll(inboxOf(one([paid, item('PREARBITRATION_WON', 4, asPayment)])))
    expect(returned).toHaveLength(1)
    expect(returned[0]?.reference).toBe(PAYMENT)
    expect(statusOf(returned[0])).toMatch(/may name a payment/)
  })

  test('never becomes a dispute itself if its payment is unknown', async () => {
    const inbox = inboxOf(one([item('SECOND_CHARGEBACK', 4, asPayment), opened(1)]))
    const { returned, adapter } = await readAll(inbox)
    expect(returned.map((raw) => raw.reference)).toEqual([DISPUTE])
    await expect(adapter.fetchDispute(PAYMENT)).rejects.toMatchObject({ kind: 'not_found' })
    const alone = await readAll(inboxOf(one([item('SECOND_CHARGEBACK', 4, asPayment)])))
    expect(alone.returned.map((raw) => toChargeback(raw).kind)).toEqual(['unmappable'])
  })

  test('belongs to its dispute even if the dispute arrives later', async () => {
    const inbox = inboxOf(
      one([item('AUTHORISATION', 1, asPayment), item('SECOND_CHARGEBACK', 4, asPayment), opened(1)]),
    )
    const { adapter } = await readAll(inbox)
    expect(statusOf(await adapter.fetchDispute(DISPUTE))).toBe('lost')
  })

  test('is quarantined under an unknown reference until its dispute arrives', async () => {
    const late = item('PREARBITRATION_LOST', 4, bare)
    const { returned, adapter } = await readAll(inboxOf(one([late])))
    expect(returned.map((raw) => [raw.reference, toChargeback(raw).kind])).toEqual([[DISPUTE, 'unmappable']])
    await expect(adapter.fetchDispute(DISPUTE)).rejects.toMatchObject({ kind: 'not_found' })
    const complete = await readAll(inboxOf(one([late, opened(1)])))
    expect(complete.returned.map(statusOf)).toEqual(['lost'])
  })
})

describe('a newer translation', () => {
  test('reads the inbox from its start, because nothing else can be read again', () => {
    const { cursor, translationVersion } = adyen
    expect(cursor.version).toBe(translationVersion)
    expect(cursor.migrate({ version: translationVersion, value: { position: '7' } })).toEqual({ position: '7' })
    expect(cursor.migrate({ version: translationVersion - 1, value: { position: '7' } })).toBeNull()
    expect(cursor.initial(NOW)).toEqual({ position: null })
  })
})

describe('notifications out of scope', () => {
  test('a live webhook in a test integration is quarantined, and vice versa', async () => {
    const live = await readAll(inboxOf([delivery([opened(1)], 'true')]))
    expect(live.returned.map(statusOf)).toEqual(['it is from the live environment'])
    const sandbox = await readAll(inboxOf([delivery([opened(1)])]), 'production')
    expect(sandbox.returned.map(statusOf)).toEqual(['it is from the test environment'])
  })

  test('an unknown event code is returned if it is about a dispute, and skipped if not', async () => {
    const future = item('DISPUTE_MEDIATED', 1)
    const other = item('SHOPPER_DANCED', 1, { pspReference: 'OTHER' })
    other.additionalData = {}
    const { returned } = await readAll(inboxOf(one([future, other])))
    expect(returned.map((raw) => raw.reference)).toEqual([DISPUTE])
  })
})

describe('raw data that clients post', () => {
  test.each<[string, string]>([
    ['an item', JSON.stringify(opened(1))],
    ['an item wrapped as in a delivery', JSON.stringify({ NotificationRequestItem: opened(1) })],
    ['a delivery', delivery([opened(1)])],
    ['a delivery of the live environment', delivery([opened(1)], 'true')],
    ['a dispute as Recoup stores it', rawOf([opened(1)]).text],
  ])('%s is read from the inbox like a delivery', async (_, text) => {
    const posted = adyen.joinPosted?.([JSON.stringify(item('CHARGEBACK', 2)), text]) ?? ''
    const { returned } = await readAll(inboxOf([posted]))
    expect(returned.map((raw) => [raw.reference, statusOf(raw)])).toEqual([[DISPUTE, 'needs_response']])
    expect(JSON.parse(returned[0]?.text ?? '').items).toHaveLength(2)
  })
})
