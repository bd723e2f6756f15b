import { sql } from 'kysely'
import { type CompellingEvidenceInput, compellingEvidence } from '../../domain/assessment/compelling-evidence.ts'
import type { CardScheme } from '../../domain/chargeback.ts'
import type { EarlierPurchases } from '../../domain/evidence/derive-facts.ts'
import { earlierPayments, earlierPaymentsWindow } from '../../domain/evidence/earlier-payments.ts'
import type { PointSource } from '../../domain/evidence/fact-catalogue.ts'
import { playOf } from '../../domain/evidence/plays.ts'
import { readDate, writeDay } from '../../domain/evidence/written-dates.ts'
import type { SecretType, Source } from '../../domain/integration.ts'
import { minorToDecimal } from '../../domain/money.ts'
import {
  type ChargebackData,
  disputedPurchase,
  earlierPurchases,
  loadChargebackData,
} from '../chargebacks/chargeback-data.ts'
import { chargebackNotFound } from '../chargebacks/chargebacks.ts'
import { JOINED } from '../chargebacks/joined-transactions.ts'
import type { Database } from '../core/connect.ts'
import { type KeyRing, open, sealContext } from '../core/seal.ts'
import { type ChargebackFile, filesOfChargeback } from './chargeback-files.ts'

/** What evidence about a chargeback is made of, decrypted. */
export interface EvidenceSources {
  merchantUuid: string
  merchantName: string
  claim: { cardScheme: CardScheme | null; reasonCode: string | null; reason: string | null; amountMinor: bigint }
  psp: { source: Source; secretType: SecretType }
  /** Operation 4, then operation 1, the latest record first. */
  client: PointSource[]
  chargeback: PointSource
  /** The PSP's transaction as the PSP sent it; null when it was not read. */
  context: { source: Source; secretType: SecretType; text: string; at: string } | null
  earlier: EarlierPurchases | null
  /** Days of earlier payments, oldest first; empty unless the claim is about a subscription. */
  earlierPayments: string[]
  /** The disputed and the earlier purchases, from which compelling evidence is chosen. */
  purchases: CompellingEvidenceInput
  /** Uploaded files, newest first. */
  files: ChargebackFile[]
}

interface Row {
  chargebackId: string
  integrationId: string
  merchantName: string
  source: Source
  secretType: SecretType
  currency: string
  amountMinor: bigint
  amountExponent: number
  postingDate: Date | null
  dueDate: Date | null
  transactionCreatedDate: Date | null
  transactionId: string | null
  arn: string | null
  cardLastFourDigits: string | null
  cardScheme: CardScheme | null
  reasonCode: string | null
  reason: string | null
  updatedAt: Date
  clientAt: Date | null
  recordsAt: Record<string, string> | null
  context: string | null
  contextAt: Date | null
}

/** For operators, so of any merchant: the data of one chargeback with its times. @throws Refusal chargeback_not_found */
export async function loadEvidenceSources(db: Database, ring: KeyRing, chargebackId: string): Promise<EvidenceSources> {
  const { rows } = await sql<Row>`
    select c.chargeback_id as "chargebackId", c.integration_id as "integrationId", i.source, i.secret_type as "secretType",
      m.merchant_name as "merchantName", c.currency,
      c.amount_minor as "amountMinor", c.amount_exponent as "amountExponent", c.posting_date as "postingDate",
      c.due_date as "dueDate", c.transaction_created_date as "transactionCreatedDate",
      c.transaction_id as "transactionId", c.arn, c.card_last_four_digits as "cardLastFourDigits",
      c.card_scheme as "cardScheme", c.reason_code as "reasonCode", c.reason, c.updated_at as "updatedAt",
      d.updated_at as "clientAt", r.sealed as context, r.fetched_at as "contextAt",
      (select json_object_agg(t.transaction_id, t.updated_at) from transaction_record t where ${JOINED}) as "recordsAt"
    from chargeback c join integration i using (integration_id) join merchant m on m.merchant_uuid = c.merchant_uuid
    left join client_data d on d.chargeback_id = c.id
    left join raw_object r on r.integration_id = c.integration_id and r.kind = 'context' and r.reference = c.chargeback_id
    where c.id = ${chargebackId}`.execute(db)
  const [row] = rows
  const [data] = await loadChargebackData(db, ring, { chargebackIds: [chargebackId] })
  if (!row || !data) throw chargebackNotFound()
  const { cardScheme, reasonCode, reason, amountMinor } = row
  const claim = { cardScheme, reasonCode, reason, amountMinor }
  const isRecurring = playOf(claim).play === 'recurring'
  const window = () => earlierPaymentsWindow(disputedAt(data) ?? row.transactionCreatedDate)
  const purchases = await purchasesOf(db, ring, data, isRecurring ? window : undefined)
  return {
    merchantUuid: data.merchantUuid,
    merchantName: row.merchantName,
    claim,
    psp: { source: row.source, secretType: row.secretType },
    client: clientSources(data, row),
    chargeback: { source: 'chargeback', points: ownFields(row), at: row.updatedAt.toISOString() },
    context:
      row.context && row.contextAt
        ? {
            source: row.source,
            secretType: row.secretType,
            text: open(ring, row.context, sealContext.rawObject(row.integrationId)),
            at: row.contextAt.toISOString(),
          }
        : null,
    earlier: earlierOf(purchases),
    earlierPayments: isRecurring ? earlierPayments(purchases) : [],
    purchases,
    files: await filesOfChargeback(db, ring, { merchantUuid: data.merchantUuid, chargebackId }),
  }
}

function clientSources({ client, records }: ChargebackData, { clientAt, recordsAt }: Row): PointSource[] {
  const at = (transactionId: string) => {
    const time = recordsAt?.[transactionId]
    return time === undefined ? null : new Date(time).toISOString()
  }
  const fromRecords = records.map(
    ({ transactionId, fields }): PointSource => ({ source: 'record', points: fields, at: at(transactionId) }),
  )
  const own: PointSource[] = client
    ? [{ source: 'client', points: client.points, at: clientAt?.toISOString() ?? null }]
    : []
  return [...own, ...fromRecords.reverse()]
}

function ownFields(row: Row): Record<string, unknown> {
  const { chargebackId, currency, transactionId, arn, cardLastFourDigits, cardScheme, reasonCode, reason } = row
  const amount = { amount: minorToDecimal(row.amountMinor, row.amountExponent), currency }
  return {
    ...{ chargebackId, currency, amount, transactionId, arn, cardLastFourDigits, cardScheme, reasonCode, reason },
    postingDate: row.postingDate?.toISOString(),
    dueDate: row.dueDate?.toISOString(),
    transactionCreatedDate: row.transactionCreatedDate?.toISOString(),
  }
}

/** When the disputed payment was made, as the client says. */
function disputedAt(data: ChargebackData): Date | null {
  const at = Date.parse(String(disputedPurchase(data).transactionCreatedDate ?? ''))
  return Number.isNaN(at) ? null : new Date(at)
}

async function purchasesOf(
  db: Database,
  ring: KeyRing,
  data: ChargebackData,
  windowOf: Parameters<typeof earlierPurchases>[3],
): Promise<CompellingEvidenceInput> {
  const { reasonCode, postingDate } = data
  const earlier = (await earlierPurchases(db, ring, [data], windowOf)).get(data.id) ?? []
  const cardScheme = data.cardScheme as CardScheme | null
  return { cardScheme, reasonCode, postingDate, disputed: disputedPurchase(data), earlier }
}

/** Two earlier purchases on the same card, if compelling evidence applies and they share enough. */
function earlierOf(purchases: CompellingEvidenceInput): EarlierPurchases | null {
  const found = compellingEvidence(purchases)
  if (!found.eligible) return null
  const pair = purchases.earlier
    .filter(({ transactionId }) => found.transactionIds.includes(transactionId))
    .flatMap(({ transactionId, fields }) => {
      const date = readDate(fields.transactionCreatedDate)
      return date ? [{ transactionId, fields, date }] : []
    })
    .sort((a, b) => (a.date.day < b.date.day ? -1 : 1))
  const [latest] = pair.toReversed()
  return {
    dates: pair.map(({ date }) => writeDay(date)),
    ids: pair.map(({ transactionId }) => transactionId),
    ...{ matched: found.matched, ...(latest && { latest }) },
  }
}
