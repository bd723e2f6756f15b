import { describe, expect, test } from 'vitest'
import { adyen } from '../../../../adapters/adyen/index.ts'
import { toChargeback } from '../../../../adapters/adyen/translate.ts'
import type { Inbox } from '../../../../adapters/contract.ts'
import { connectAdyen, DISPUTE, delivery, type Item, inboxOf, item, NOW, opened, PAYMENT, rawOf } from './adyen.ts'

async function drained(inbox: Inbox, environment: 'sandbox' | 'production' = 'sandbox') {
  const adapter = connectAdyen({ inbox, environment })
  const handed: { reference: string | null; text: string }[] = []
  let cursor = { position: null as string | null }
  for (let hasMore = true; hasMore; ) {
    const page = await adapter.listDisputes({ cursor, oldestOpen: null })
    handed.push(...page.items)
    cursor = page.cursor
    hasMore = page.hasMore
  }
  return { handed, cursor, adapter }
}

const one = (items: Item[]) => items.map((value) => delivery([value]))
const statusOf = (raw: { reference: string | null; text: string } | undefined) => {
  const translation = raw && toChargeback(raw)
  return translation?.kind === 'chargeback' ? translation.facts.pspStatus : translation?.reason
}
const bare = { originalReference: undefined }
const asPayment = { originalReference: undefined, pspReference: PAYMENT }

describe('draining the inbox', () => {
  test('notifications about one dispute are one dispute, whatever else lies between', async () => {
    const others = Array.from({ length: 150 }, (_, index) => item('CAPTURE', 2, { pspReference: `CAPTURE${index}` }))
    const { handed } = await drained(inboxOf(one([opened(1), ...others, item('INFORMATION_SUPPLIED', 2)])))
    expect(handed.map((raw) => raw.reference)).toEqual([DISPUTE])
    expect(statusOf(handed[0])).toBe('under_review')
  })

  test('a notification under its reference that is no dispute, a page later, keeps it from nobody', async () => {
    const others = Array.from({ length: 100 }, (_, index) => item('CAPTURE', 2, { pspReference: `CAPTURE${index}` }))
    const stranger = item('SHOPPER_DANCED', 3, { additionalData: {} })
    const { handed } = await drained(inboxOf(one([opened(1), ...others, stranger])))
    expect(handed.map((raw) => raw.reference)).toEqual([DISPUTE])
  })

  test('a page asks the inbox twice, however many disputes it holds', async () => {
    const disputes = Array.from({ length: 40 }, (_, index) => ({
      ...opened(1),
      pspReference: `DISPUTE${index}`,
      originalReference: `PAYMENT${index}`,
    }))
    const inbox = inboxOf(one(disputes))
    const asked: string[] = []
    const counted =
      <Input extends unknown[], Result>(name: string, work: (...input: Input) => Result) =>
      (...input: Input) => {
        asked.push(name)
        return work(...input)
      }
    const counting: Inbox = {
      read: counted('read', inbox.read),
      about: counted('about', inbox.about),
      aboutAll: counted('aboutAll', inbox.aboutAll),
    }
    const { handed } = await drained(counting)
    expect(handed).toHaveLength(40)
    expect(asked).toEqual(['read', 'aboutAll'])
  })

  test('pages without a dispute go on', async () => {
    const captures = Array.from({ length: 230 }, (_, index) => item('CAPTURE', 2, { pspReference: `CAPTURE${index}` }))
    const { handed, cursor } = await drained(inboxOf(one(captures)))
    expect(handed).toEqual([])
    expect(cursor.position).toBe('000230')
  })

  test('every order of arrival gives the same bytes', async () => {
    const life = one([
      opened(1),
      item('INFORMATION_SUPPLIED', 2),
      item('CHARGEBACK_REVERSED', 4),
      item('SECOND_CHARGEBACK', 6),
    ])
    const [first] = (await drained(inboxOf(life))).handed
    const [second] = (await drained(inboxOf(life.toReversed()))).handed
    expect(second?.text).toBe(first?.text)
  })

  test('the items are the bytes that came', async () => {
    const body = delivery([opened(1)]).replace('"success":"true"', '"success" : "true"')
    const { handed } = await drained(inboxOf([body]))
    expect(handed[0]?.text).toContain('"success" : "true"')
  })

  test('a list reads the same as a fetch', async () => {
    const { handed, adapter } = await drained(inboxOf(one([opened(1), item('CHARGEBACK', 3)])))
    expect(await adapter.fetchDispute(DISPUTE)).toEqual(handed[0])
  })

  test('a dispute that no notification is about is not_found', async () => {
    await expect(connectAdyen().fetchDispute('UNKNOWN')).rejects.toMatchObject({ kind: 'not_found' })
  })

  test('a request for information, a fraud notice and the chargeback of one payment are disputes of their own', async () => {
    const notice = item('NOTIFICATION_OF_FRAUD', 1, { pspReference: 'NOTICE0000000000' })
    const inquiry = item('REQUEST_FOR_INFORMATION', 2, { pspReference: 'INQUIRY000000000' })
    const { handed } = await drained(inboxOf(one([notice, inquiry, opened(3), item('CHARGEBACK', 4)])))
    expect(handed.map((raw) => [raw.reference, statusOf(raw)])).toEqual([
      ['NOTICE0000000000', 'not_applicable'],
      ['INQUIRY000000000', 'needs_response'],
      [DISPUTE, 'needs_response'],
    ])
  })

  test('several items in one delivery are taken', async () => {
    const second = item('CHARGEBACK', 2, { pspReference: 'SECONDDISPUTE000' })
    const { handed } = await drained(inboxOf([delivery([opened(1), second])]))
    expect(handed.map((raw) => raw.reference)).toEqual([DISPUTE, 'SECONDDISPUTE000'])
  })
})

describe('a notification without originalReference', () => {
  test('under the reference of its dispute belongs to it', async () => {
    const { handed } = await drained(inboxOf(one([opened(1), item('CHARGEBACK_REVERSED', 4, bare)])))
    expect(handed.map(statusOf)).toEqual(['won'])
  })

  test('under the reference of the payment belongs to the dispute of that payment', async () => {
    const { handed, adapter } = await drained(inboxOf(one([opened(1), item('SECOND_CHARGEBACK', 4, asPayment)])))
    expect(handed.map((raw) => raw.reference)).toEqual([DISPUTE])
    expect(statusOf(await adapter.fetchDispute(DISPUTE))).toBe('lost')
  })

  test('of a payment with two disputes belongs to the one that was open', async () => {
    const later = item('NOTIFICATION_OF_CHARGEBACK', 9, { pspReference: 'LATERDISPUTE0000' })
    const { adapter } = await drained(inboxOf(one([opened(1), later, item('CHARGEBACK_REVERSED', 4, asPayment)])))
    expect(statusOf(await adapter.fetchDispute(DISPUTE))).toBe('won')
    expect(statusOf(await adapter.fetchDispute('LATERDISPUTE0000'))).toBe('needs_response')
  })

  test.each(['NOTIFICATION_OF_FRAUD', 'REQUEST_FOR_INFORMATION'])('belongs to no %s, however new', async (code) => {
    const other = { pspReference: 'OTHERDISPUTE0000' }
    const told = [item(code, 3, other), item('INFORMATION_SUPPLIED', 3, other)]
    const stray = item('CHARGEBACK_REVERSED', 4, asPayment)
    const { adapter } = await drained(inboxOf(one([opened(1), ...told, stray])))
    expect(statusOf(await adapter.fetchDispute(DISPUTE))).toBe('won')
    expect(statusOf(await adapter.fetchDispute('OTHERDISPUTE0000'))).not.toBe('won')
    const before = await drained(inboxOf(one([...told, stray])))
    expect(before.handed.map(statusOf)).toEqual([expect.not.stringContaining('won'), expect.stringMatching(/may name/)])
  })

  test('of a payment that no dispute is known of is kept in quarantine', async () => {
    const paid = item('AUTHORISATION', 1, asPayment)
    const { handed } = await drained(inboxOf(one([paid, item('PREARBITRATION_WON', 4, asPayment)])))
    expect(handed).toHaveLength(1)
    expect(handed[0]?.reference).toBe(PAYMENT)
    expect(statusOf(handed[0])).toMatch(/may name a payment/)
  })

  test('of a payment that nothing is known of yet becomes no dispute of its own', async () => {
    const inbox = inboxOf(one([item('SECOND_CHARGEBACK', 4, asPayment), opened(1)]))
    const { handed, adapter } = await drained(inbox)
    expect(handed.map((raw) => raw.reference)).toEqual([DISPUTE])
    await expect(adapter.fetchDispute(PAYMENT)).rejects.toMatchObject({ kind: 'not_found' })
    const alone = await drained(inboxOf(one([item('SECOND_CHARGEBACK', 4, asPayment)])))
    expect(alone.handed.map((raw) => toChargeback(raw).kind)).toEqual(['unmappable'])
  })

  test('comes before its dispute: the dispute has it once it is there', async () => {
    const inbox = inboxOf(
      one([item('AUTHORISATION', 1, asPayment), item('SECOND_CHARGEBACK', 4, asPayment), opened(1)]),
    )
    const { adapter } = await drained(inbox)
    expect(statusOf(await adapter.fetchDispute(DISPUTE))).toBe('lost')
  })

  test('alone, under a reference that nobody knows, is kept in quarantine under it until its dispute comes', async () => {
    const late = item('PREARBITRATION_LOST', 4, bare)
    const { handed, adapter } = await drained(inboxOf(one([late])))
    expect(handed.map((raw) => [raw.reference, toChargeback(raw).kind])).toEqual([[DISPUTE, 'unmappable']])
    await expect(adapter.fetchDispute(DISPUTE)).rejects.toMatchObject({ kind: 'not_found' })
    const complete = await drained(inboxOf(one([late, opened(1)])))
    expect(complete.handed.map(statusOf)).toEqual(['lost'])
  })
})

describe('a newer translation', () => {
  test('reads the inbox from its start: nothing else can be read again', () => {
    const { cursor, translationVersion } = adyen
    expect(cursor.version).toBe(translationVersion)
    expect(cursor.migrate({ version: translationVersion, value: { position: '7' } })).toEqual({ position: '7' })
    expect(cursor.migrate({ version: translationVersion - 1, value: { position: '7' } })).toBeNull()
    expect(cursor.initial(NOW)).toEqual({ position: null })
  })
})

describe('what is not ours to translate', () => {
  test('a live webhook in a test integration goes to quarantine, and the reverse', async () => {
    const live = await drained(inboxOf([delivery([opened(1)], 'true')]))
    expect(live.handed.map(statusOf)).toEqual(['it is from the live environment'])
    const sandbox = await drained(inboxOf([delivery([opened(1)])]), 'production')
    expect(sandbox.handed.map(statusOf)).toEqual(['it is from the test environment'])
  })

  test('an event code of next year is handed out when it speaks of a dispute, and passed over when not', async () => {
    const future = item('DISPUTE_MEDIATED', 1)
    const other = item('SHOPPER_DANCED', 1, { pspReference: 'OTHER' })
    other.additionalData = {}
    const { handed } = await drained(inboxOf(one([future, other])))
    expect(handed.map((raw) => raw.reference)).toEqual([DISPUTE])
  })
})

describe('what clients post', () => {
  test.each<[string, string]>([
    ['an item', JSON.stringify(opened(1))],
    ['an item as it stands in a delivery', JSON.stringify({ NotificationRequestItem: opened(1) })],
    ['a delivery', delivery([opened(1)])],
    ['a delivery of the live environment', delivery([opened(1)], 'true')],
    ['a dispute as it is kept', rawOf([opened(1)]).text],
  ])('%s is read from the inbox as at the door', async (_, text) => {
    const posted = adyen.joinPosted?.([JSON.stringify(item('CHARGEBACK', 2)), text]) ?? ''
    const { handed } = await drained(inboxOf([posted]))
    expect(handed.map((raw) => [raw.reference, statusOf(raw)])).toEqual([[DISPUTE, 'needs_response']])
    expect(JSON.parse(handed[0]?.text ?? '').items).toHaveLength(2)
  })
})
