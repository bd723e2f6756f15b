import { sql } from 'kysely'
import { compellingEvidence } from '../../domain/assessment/compelling-evidence.ts'
import type { Assessed } from '../../domain/assessment/explanation.ts'
import { presentFacts } from '../../domain/enrichment.ts'
import { missingPoints } from '../../domain/evidence/missing-points.ts'
import type { Database } from '../core/connect.ts'
import type { KeyRing } from '../core/seal.ts'
import { disputedPurchase, earlierPurchases, loadChargebackData } from './chargeback-data.ts'
import { chargebackNotFound } from './chargebacks.ts'
import { readClosedCases } from './closed-cases.ts'

type Row = Omit<Assessed, 'now' | 'present' | 'closedCases' | 'compellingEvidence' | 'claimMissing'> & {
  reason: string | null
  dataPoints: string[]
  bin: string | null
  arn: string | null
  billingCountry: string | null
  cardLastFourDigits: string | null
  transactionCreatedDate: string | null
}

/** The inputs and the result of the assessment of a chargeback. @throws Refusal chargeback_not_found */
export async function readAssessed(
  db: Database,
  ring: KeyRing,
  { merchantUuid, chargebackId, now }: { merchantUuid: string; chargebackId: string; now: Date },
): Promise<Assessed> {
  const { rows } = await sql<Row>`
    select c.psp, c.status, c.status_reason as "statusReason", c.win_probability::float8 as "winProbability",
      c.roi_recommendation as recommendation, c.scope_decision as scope, c.psp_status as "pspStatus",
      c.due_date as "dueDate", c.lifecycle_stage as "lifecycleStage", c.reason_group as "reasonGroup", c.reason,
      c.card_scheme as "cardScheme", c.currency, c.amount_minor as "amountMinor", c.amount_exponent as "amountExponent",
      c.signals, c.data_points as "dataPoints", c.bin, c.arn, c.billing_country as "billingCountry",
      coalesce(c.transaction_id, c.external_transaction_identifier, c.arn) is not null as joinable,
      c.card_last_four_digits as "cardLastFourDigits", c.transaction_created_date::text as "transactionCreatedDate",
      a.settings
    from chargeback c
    join merchant m on m.merchant_uuid = c.merchant_uuid join account a on a.account_id = m.account_id
    where c.merchant_uuid = ${merchantUuid} and c.id = ${chargebackId}`.execute(db)
  const [data] = await loadChargebackData(db, ring, { chargebackIds: [chargebackId], merchantUuid })
  const [row] = rows
  if (!row || !data) throw chargebackNotFound()
  const earlier = await earlierPurchases(db, ring, [data])
  const closedCases = await readClosedCases(db, [merchantUuid])
  const present = [...new Set([...row.dataPoints, ...presentFacts(row)])]
  const { cardScheme, reason, amountMinor } = row
  return {
    ...row,
    now,
    present,
    claimMissing: missingPoints({ cardScheme, reasonCode: data.reasonCode, reason, amountMinor }, present),
    closedCases: closedCases(merchantUuid, row.reasonGroup),
    compellingEvidence: compellingEvidence({
      cardScheme: row.cardScheme,
      reasonCode: data.reasonCode,
      postingDate: data.postingDate,
      disputed: disputedPurchase(data),
      earlier: earlier.get(chargebackId) ?? [],
    }),
  }
}
