import type { Context } from 'hono'
import { amountExponentOf } from '../../adapters/adyen/vocabulary.ts'
import type { Account } from '../engine/accounts.ts'
import type { SimulatorEnv } from '../engine/conduct.ts'
import type { DisputeRecord, JsonObject } from '../engine/contract.ts'
import type { DisputeEngine } from '../engine/engine.ts'
import { notAllowed, unauthorised } from './authenticate.ts'
import { itemsIn } from './dispute.ts'
import { DEMO_KEY, REPORT_PASSWORD, REPORT_USER } from './keys.ts'
import { authorisationItem } from './payment.ts'

/** The daily dispute report: the events of one day, as CSV. It requires a separate user. */

/** Reports are created early on the next morning. */
const READY_AFTER = 4 * 3600
const DAY = 86_400
const COMPANY = 'RecoupDemo'

/** Events in the report; others occur in notifications only. */
const RECORDED =
  /^(CHARGEBACK|CHARGEBACK_REVERSED|NOTIFICATION_OF_CHARGEBACK|SECOND_CHARGEBACK|REQUEST_FOR_INFORMATION|INFORMATION_SUPPLIED|NOTIFICATION_OF_FRAUD|PREARBITRATION_WON|PREARBITRATION_LOST|DISPUTE_DEFENSE_PERIOD_ENDED|DISPUTE_OPENED_WITH_CHARGEBACK)$/

interface Row {
  account: string
  item: JsonObject
  payment: JsonObject
}

const data = ({ additionalData }: JsonObject, ...names: string[]) => {
  const values = (additionalData ?? {}) as JsonObject
  return String(names.map((name) => values[name]).find((value) => value !== undefined) ?? '').trim()
}
const day = (value: unknown) => String(value ?? '').slice(0, 10)
const moment = (value: unknown) =>
  String(value ?? '')
    .slice(0, 19)
    .replace('T', ' ')
const amountOf = (item: JsonObject) => (item.amount ?? {}) as { value?: number; currency?: string }

/** In major units, unlike the rest of Adyen. */
function major(item: JsonObject): string {
  const { value = 0, currency = 'EUR' } = amountOf(item)
  const digits = amountExponentOf(currency)
  return (value / 10 ** digits).toFixed(digits)
}

/** The report's spelling of an event code: CHARGEBACK_REVERSED is ChargebackReversed. */
const recordType = (code: unknown) =>
  String(code)
    .toLowerCase()
    .replace(/(^|_)(.)/g, (_, __, letter: string) => letter.toUpperCase())

const zoned = (name: string, value: (row: Row) => unknown): [string, (row: Row) => string][] => [
  [name, (row) => moment(value(row))],
  [`${name} TimeZone`, (row) => (value(row) === undefined ? '' : 'UTC')],
]

const COLUMNS: [string, (row: Row) => string][] = [
  ['Company Account', () => COMPANY],
  ['Merchant Account', ({ account }) => account],
  ['Psp Reference', ({ item }) => String(item.originalReference ?? '')],
  ['Merchant Reference', ({ item }) => String(item.merchantReference ?? '')],
  ['Payment Method', ({ item }) => String(item.paymentMethod ?? '')],
  ...zoned('Record Date', ({ item }) => item.eventDate),
  ['Dispute Currency', ({ item }) => amountOf(item).currency ?? ''],
  ['Dispute Amount', ({ item }) => major(item)],
  ['Record Type', ({ item }) => recordType(item.eventCode)],
  ['Dispute PSP Reference', ({ item }) => String(item.pspReference ?? '')],
  ['Dispute Reason', ({ item }) => String(item.reason ?? '')],
  ['RFI Scheme Code', ({ item }) => data(item, 'rfiSchemeCode')],
  ['RFI Reason Code', ({ item }) => data(item, 'rfiReasonCode')],
  ['CB Scheme Code', ({ item }) => data(item, 'chargebackSchemeCode')],
  ['CB Reason Code', ({ item }) => data(item, 'chargebackReasonCode')],
  ['NoF Scheme Code', ({ item }) => data(item, 'nofSchemeCode')],
  ['NoF Reason Code', ({ item }) => data(item, 'nofReasonCode')],
  ...zoned('Payment Date', ({ payment }) => payment.eventDate),
  ['Payment Currency', ({ payment }) => amountOf(payment).currency ?? ''],
  ['Payment Amount', ({ payment }) => (payment.amount ? major(payment) : '')],
  ...zoned('Dispute Date', ({ item }) => item.eventDate),
  ['Dispute ARN', ({ item }) => data(item, 'arn')],
  ['User Name', () => ''],
  ['Risk Scoring', () => '0'],
  ['Shopper Interaction', () => 'Ecommerce'],
  ['Shopper Name', ({ payment }) => data(payment, 'cardHolderName')],
  ['Shopper Email', ({ payment }) => data(payment, 'shopperEmail')],
  ['Shopper Reference', ({ payment }) => data(payment, 'shopperReference')],
  ['Shopper PAN', ({ payment }) => data(payment, 'cardSummary')],
  ['Shopper IP', ({ payment }) => data(payment, 'shopperIP')],
  ['Shopper Country', ({ payment }) => data(payment, 'shopperCountry')],
  ['Iban', () => ''],
  ['Bic', () => ''],
  ['Issuer Country', ({ payment }) => data(payment, 'issuerCountry')],
  ['Issuer Id', () => ''],
  ['3D Directory Response', () => ''],
  ['3D Authentication Response', () => ''],
  ['CVC2 Response', ({ payment }) => data(payment, 'cvcResult')],
  ['AVS Response', ({ payment }) => data(payment, 'avsResult')],
  ['Dispute Auto Defended', ({ item }) => data(item, 'autoDefended')],
  ...zoned('Dispute End Date', ({ item }) => data(item, 'defensePeriodEndsAt') || undefined),
]

const quoted = (cell: string) => (/[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)

function rowsOf(engine: DisputeEngine, account: Account, wanted: string): Row[] {
  return account.disputes.all().flatMap((record: DisputeRecord) => {
    const payment = record.plan === null ? {} : authorisationItem(record.plan)
    return itemsIn(engine.read(record))
      .filter((item) => day(item.eventDate) === wanted && RECORDED.test(String(item.eventCode)))
      .map((item) => ({ account: account.id, item, payment }))
  })
}

/** `GET /reports/download/{MerchantAccount|Company}/{name}/dispute_report_YYYY_MM_DD.csv` */
export function disputeReport(engine: DisputeEngine) {
  return (c: Context<SimulatorEnv>): Response => {
    const basic = Buffer.from((c.req.header('authorization') ?? '').replace(/^Basic /i, ''), 'base64').toString('utf8')
    // It is unknown whether the dispute service's key may read reports, so the simulator refuses it.
    if (c.req.header('x-api-key') === DEMO_KEY) throw notAllowed()
    if (basic !== `${REPORT_USER}:${REPORT_PASSWORD}` && c.req.header('x-api-key') !== REPORT_PASSWORD)
      throw unauthorised()
    const { level = '', name = '', file = '' } = c.req.param() as Record<string, string>
    const wanted = /^dispute_report_(\d{4})_(\d\d)_(\d\d)\.csv$/.exec(file)?.slice(1).join('-') ?? ''
    const ready = Date.parse(wanted) / 1000 + DAY + READY_AFTER
    const accounts = level === 'Company' && name === COMPANY ? [...engine.accounts()] : []
    if (level === 'MerchantAccount' && engine.knows(name)) accounts.push(engine.account(name))
    const rows = ready <= engine.now() ? accounts.flatMap((account) => rowsOf(engine, account, wanted)) : []
    if (rows.length === 0) return new Response('Not Found', { status: 404, headers: { 'content-type': 'text/plain' } })
    const lines = [COLUMNS.map(([title]) => title), ...rows.map((row) => COLUMNS.map(([, cell]) => cell(row)))]
    const text = lines.map((cells) => cells.map(quoted).join(',')).join('\n')
    return new Response(`\uFEFF${text}\n`, { headers: { 'content-type': 'text/csv;charset=UTF-8' } })
  }
}
