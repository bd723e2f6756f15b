import type { EvidenceSignal } from '../../domain/assessment/defaults.ts'
import {
  CARD_SCHEMES,
  type CardScheme,
  type ChargebackFacts,
  FURTHER_ANSWERS,
  LIFECYCLE_STAGES,
  PAYMENT_METHODS,
  type PaymentMethod,
  PSP_STATUSES,
  PSPS,
  REASON_GROUPS,
  STATUSES,
} from '../../domain/chargeback.ts'
import type { ScopeDecision } from '../../domain/decision.ts'
import { UNCONFIRMED_ACCOUNT } from '../../domain/dispute.ts'
import {
  BIGINT,
  BOOLEAN,
  BYTES,
  between,
  DECIMAL,
  INTEGER,
  json,
  type Kind,
  MERCHANT,
  MINOR_UNITS,
  SMALLINT,
  TEXT,
  TEXTS,
  TIME,
  text,
  texts,
  UUID,
  word,
} from './column-kinds.ts'

export interface Column {
  /** Its name in SQL. */
  readonly column: string
  readonly kind: Kind<unknown, never>
  /** Nullable. */
  readonly null?: true
  /** False for columns that clients and transactions fill: a PSP reading does not write them. */
  readonly written?: false
  /**
   * Effect of reading the PSP again: `fixed` never changes; `kept` keeps the stored value when the new one is null; any
   * other text is an SQL expression over the row `c` and the new row, `excluded`. Absent: the new value replaces the
   * stored one.
   */
  readonly reread?: string
  /** False when a new reading does not need the stored value. */
  readonly compared?: false
  /**
   * How the timeline reports a change: as an event (the number orders the events of one reading; `later` ones are left
   * out of the first), with other details, with the assessment, or by name only, because free text may name a person
   * and timeline rows are never deleted. Such text is erased on request (db/erasure/erase-facts.ts).
   */
  readonly timeline?: { readonly event: number; readonly later?: true } | 'details' | 'name only' | 'assessment'
  /** Description in the interface, or true where the API has one for every resource. Absent: hidden from clients. */
  readonly shown?: string | true
  /** Name in the interface, when it differs from the name here. */
  readonly json?: string
  /** Present in every response. */
  readonly always?: true
}

/** Every fact of a PSP needs a column that accepts it. The provider of an alert is stored in the table `alert`. */
type Facts = Required<Omit<ChargebackFacts, 'providerName'>>
type Fitting<Fact> = { kind: { accepts?: (value: Spelled<NonNullable<Fact>>) => void } } & (null extends Fact
  ? { null: true }
  : object)
type Spelled<Fact> = Fact extends bigint ? string : Fact

const column = <Of extends Kind, const More extends Omit<Column, 'column' | 'kind'>>(
  name: string,
  kind: Of,
  more: More,
): { column: string; kind: Of } & More => ({ column: name, kind, ...more })

/**
 * The columns of a chargeback that a PSP reading writes, that are compared with the next reading, or that clients see.
 * Insert, comparison, list, single read, OpenAPI and timeline derive from this table. Shown columns are in the order of
 * the interface.
 */
export const COLUMNS = {
  id: column('id', UUID, { reread: 'fixed', shown: true, always: true }),
  chargebackId: column('chargeback_id', TEXT, {
    reread: 'fixed',
    compared: false,
    shown: 'Assigned by the PSP.',
    always: true,
  }),
  merchantUuid: column('merchant_uuid', MERCHANT, {
    reread: 'fixed',
    compared: false,
    shown: true,
    always: true,
    json: 'referenceAccountId',
  }),
  integrationId: column('integration_id', UUID, {
    reread: 'fixed',
    compared: false,
    shown: 'Integration that is the source of the chargeback.',
  }),
  psp: column('psp', word(PSPS), { compared: false, shown: 'PSP in which the transaction was processed.' }),
  currency: column('currency', TEXT, { timeline: 'details', shown: 'ISO 4217 currency of the amount.' }),
  amountMinor: column('amount_minor', MINOR_UNITS, {
    json: 'amount',
    shown: 'Amount charged back, in units of the currency.',
  }),
  postingDate: column('posting_date', TIME, {
    null: true,
    timeline: 'details',
    shown: 'When the chargeback was posted.',
  }),
  transactionCreatedDate: column('transaction_created_date', TIME, {
    null: true,
    reread: 'kept',
    timeline: 'details',
    shown: 'When the transaction was processed.',
  }),
  dueDate: column('due_date', TIME, { null: true, timeline: { event: 4 }, shown: 'When the chargeback is due.' }),
  pspStatusChangeDate: column('psp_status_change_date', TIME, {
    null: true,
    shown: 'When the PSP status last changed.',
  }),
  pspStatus: column('psp_status', word(PSP_STATUSES), { timeline: { event: 2 }, shown: 'Status in the PSP.' }),
  status: column('status', word(STATUSES), { timeline: { event: 1 }, shown: 'Status in the service.' }),
  lifecycleStage: column('lifecycle_stage', word(LIFECYCLE_STAGES), {
    timeline: { event: 3 },
    shown: 'How far the dispute has gone.',
  }),
  transactionId: column('transaction_id', TEXT, {
    null: true,
    timeline: 'name only',
    shown: 'Transaction identifier set by the PSP.',
  }),
  arn: column('arn', TEXT, {
    null: true,
    reread: 'kept',
    timeline: 'name only',
    shown: 'Acquirer reference number set by the PSP.',
  }),
  externalTransactionIdentifier: column('external_transaction_identifier', TEXT, {
    null: true,
    reread: 'kept',
    timeline: 'name only',
    shown: 'Transaction identifier.',
  }),
  merchantReferenceName: column('merchant_reference_name', TEXT, {
    null: true,
    reread: 'kept',
    timeline: 'name only',
    shown: 'Identifier of the merchant in the PSP.',
  }),
  reasonCode: column('reason_code', TEXT, {
    null: true,
    timeline: 'name only',
    shown: 'Reason code set by the card scheme.',
  }),
  reason: column('reason', TEXT, { null: true, timeline: 'name only', shown: 'Reason of the chargeback.' }),
  cardScheme: column('card_scheme', text<CardScheme>(), {
    null: true,
    reread: 'kept',
    timeline: 'details',
    shown: `Card scheme of the cardholder: ${CARD_SCHEMES.join(', ')}.`,
  }),
  enrichmentRatio: column('enrichment_ratio', between(0, 1), {
    timeline: 'assessment',
    shown: 'Share of the wanted data, 0 to 1.',
  }),
  winProbability: column('win_probability', DECIMAL, {
    null: true,
    timeline: 'assessment',
    shown: 'Win probability in percent.',
  }),
  roiRecommendation: column('roi_recommendation', word(['Fight', 'Accept']), {
    null: true,
    timeline: 'assessment',
    shown: 'Whether an answer is expected to bring more than it costs. Advisory only.',
  }),
  bin: column('bin', TEXT, {
    null: true,
    reread: 'kept',
    timeline: 'details',
    shown: 'Bank identification number of the card.',
  }),
  billingCountry: column('billing_country', TEXT, {
    null: true,
    reread: 'kept',
    timeline: 'details',
    shown: 'Billing country of the cardholder.',
  }),
  isEnriched: column('is_enriched', BOOLEAN, {
    written: false,
    timeline: 'details',
    shown: 'Whether transaction data was joined.',
  }),
  paymentMethod: column('payment_method', text<PaymentMethod>(), {
    null: true,
    timeline: 'details',
    shown: `Payment method of the transaction: ${PAYMENT_METHODS.join(', ')}.`,
  }),
  cardLastFourDigits: column('card_last_four_digits', TEXT, {
    null: true,
    reread: 'kept',
    timeline: 'details',
    shown: 'Last four digits of the card.',
  }),

  version: column('version', BIGINT, {}),
  statusReason: column('status_reason', TEXT, {}),
  round: column('round', INTEGER, {}),
  amountExponent: column('amount_exponent', SMALLINT, {}),
  pspSequence: column('psp_sequence', BIGINT, { null: true }),
  furtherAnswer: column('further_answer', word(FURTHER_ANSWERS), { null: true, timeline: { event: 5, later: true } }),
  reasonGroup: column('reason_group', word(REASON_GROUPS), { compared: false }),
  scopeDecision: column('scope_decision', json<ScopeDecision>(), { null: true, compared: false }),
  shouldFight: column('should_fight', BOOLEAN, { null: true, written: false }),
  dataPoints: column('data_points', TEXTS, { written: false }),
  /** Proven facts, see domain/assessment/defaults.ts. */
  signals: column('signals', texts<EvidenceSignal>(), { written: false }),
  pspAccount: column('psp_account', TEXT, {
    compared: false,
    reread: `case when excluded.psp_account = '${UNCONFIRMED_ACCOUNT}' then c.psp_account else excluded.psp_account end`,
  }),
  /** Reset by a new round. */
  answered: column('answered', BOOLEAN, {
    compared: false,
    reread: 'excluded.answered or (c.answered and c.round = excluded.round)',
  }),
  anomalies: column('anomalies', TEXTS, { compared: false }),
  contentHash: column('content_hash', BYTES, { compared: false }),
  translationVersion: column('translation_version', INTEGER, { compared: false }),
  readAt: column('read_at', TIME, { compared: false }),
  rereadAfter: column('reread_after', TIME, { null: true, compared: false }),
} satisfies Record<string, Column> & { [Name in keyof Facts]: Column & Fitting<Facts[Name]> }
