import type { AdyenCursor } from '../../../../adapters/adyen/cursor.ts'
import { printDispute } from '../../../../adapters/adyen/dispute-text.ts'
import { adyen } from '../../../../adapters/adyen/index.ts'
import { readNotification, signatureOf } from '../../../../adapters/adyen/notifications.ts'
import type { AdyenSecret } from '../../../../adapters/adyen/secret.ts'
import type { Adapter, AdapterContext, Inbox, StoredNotification } from '../../../../adapters/contract.ts'
import { pspFetch } from '../../../../adapters/shared/psp-fetch.ts'

export const ACCOUNT = 'TestMerchantECOM'
export const HMAC = '44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056'
export const NOW = new Date('2026-03-01T12:00:00.000Z')
export const PAYMENT = '9914444444444444'
export const DISPUTE = 'QFQTPCQ8HXSKGK82'

export type Item = Record<string, unknown>

/** A NotificationRequestItem about the sample dispute. */
export function item(eventCode: string, day: number, changes: Item = {}, data: Record<string, unknown> = {}): Item {
  return {
    additionalData: { chargebackReasonCode: '10.4', chargebackSchemeCode: 'visa', ...data },
    amount: { currency: 'EUR', value: 1000 },
    eventCode,
    eventDate: `2026-02-${String(day).padStart(2, '0')}T10:00:00+01:00`,
    merchantAccountCode: ACCOUNT,
    merchantReference: 'order-1',
    originalReference: PAYMENT,
    paymentMethod: 'visa',
    pspReference: DISPUTE,
    reason: 'Other Fraud-Card Absent Environment',
    success: 'true',
    ...changes,
  }
}

/** The event that opens the sample dispute, with a due date after `NOW`. */
export function opened(day = 1, data: Record<string, unknown> = {}): Item {
  const ends = '2026-03-20T03:03:08+01:00'
  return item('NOTIFICATION_OF_CHARGEBACK', day, {}, { defendable: 'true', defensePeriodEndsAt: ends, ...data })
}

export function delivery(items: Item[], live = 'false', key = HMAC): string {
  const signed = items.map((one) => ({
    ...one,
    additionalData: { ...(one.additionalData as Item), hmacSignature: signatureOf(one, key) },
  }))
  return JSON.stringify({
    live,
    notificationItems: signed.map((NotificationRequestItem) => ({ NotificationRequestItem })),
  })
}

export function rawOf(items: Item[], sent: object[] = []) {
  const text = printDispute({
    merchantAccount: ACCOUNT,
    disputePspReference: DISPUTE,
    items: items.map((one) => JSON.stringify(one)),
    sent: sent.map((mark) => JSON.stringify(mark)),
  })
  return { reference: DISPUTE, text }
}

/** The engine's inbox in memory; `bodies` were delivered in this order. */
export function inboxOf(bodies: string[]): Inbox & { rows: (StoredNotification & { references: string[] })[] } {
  const rows: (StoredNotification & { references: string[] })[] = []
  const add = (body: string, references: string[]) =>
    rows.push({ position: String(rows.length + 1).padStart(6, '0'), receivedAt: NOW, body, references })
  for (const body of bodies) add(body, readNotification({ id: '', type: '', body }).references)
  return {
    rows,
    read: async (after, limit) => rows.filter((row) => after === null || row.position > after).slice(0, limit),
    about: async (reference) => rows.filter((row) => row.references.includes(reference)),
    aboutAll: async (references) =>
      new Map(references.map((reference) => [reference, rows.filter((row) => row.references.includes(reference))])),
    note: async (reference, body) => void add(body, [reference]),
  }
}

export function connectAdyen(
  overrides: Partial<AdapterContext<AdyenSecret>> = {},
): Required<Omit<Adapter<AdyenCursor>, 'uploadFile'>> {
  return adyen.connect({
    secret: { hmac: HMAC, apiKey: 'AQEloopback' },
    externalIdentifier: ACCOUNT,
    pspAccount: ACCOUNT,
    baseUrl: 'http://127.0.0.1:9',
    environment: 'sandbox',
    fetch: pspFetch,
    now: () => NOW,
    inbox: inboxOf([]),
    ...overrides,
  }) as Required<Adapter<AdyenCursor>>
}
