import type { Size } from './fill.ts'

const TEN_MILLION = 10_000_000

/** A statement that may read more than the limits, and why. */
interface Named {
  of: RegExp
  why: string
  /** Only excused in a database with at least this many chargebacks; default: in any. */
  from?: number
  /** Only excused before the first analyze. */
  fresh?: true
}

const NAMED: Named[] = [
  {
    of: /^select psp, status, count\(\*\)::float8 as count from chargeback group by psp, status$/,
    why: 'The gauge of chargebacks counts them all; the result is cached (db/core/gauges.ts).',
  },
  {
    of: /^select currency as of, sum\(amount_minor/,
    why: 'The gauge of amounts at risk adds up all open chargebacks, in their index; the result is cached (db/core/gauges.ts).',
  },
  {
    of: /^select concat\(.* \(select id from chargeback where .* offset \$\d+ limit \$\d+\) k /,
    why: 'A page number reads the rows that it skips, and a filter by score or status change the rows that it drops, in the index only.',
  },
  {
    of: /^select merchant_uuid as "merchantUuid", reason_group as "group", .* from chargeback where answered/,
    why: 'Closed cases of a merchant are counted in an index of closed cases; large counts are cached for ten minutes.',
  },
  {
    of: /\(select count\(\*\) from chargeback c where c\.integration_id = i\.integration_id\)::int as chargebacks/,
    why: 'The command line shows an operator how many chargebacks each integration has.',
  },
  {
    of: /^select "chargeback_id" from "chargeback" where "integration_id" = \$1 and "chargeback_id" > \$2 and \("posting_date"/,
    why: 'A drift report, requested by an operator, compares all stored chargebacks of an integration.',
  },
  {
    of: /^select c\.id from chargeback c where c\.integration_id = \$1 and c\.psp_status in \('needs_response', 'unknown'\)/,
    why: 'Without statistics a slice of new decisions sorts all changeable chargebacks of its integration; with them it reads the slice.',
  },
  {
    of: /erased_reference r/,
    why: 'The erasure of a person, a few a day, searches all stored texts of the merchant.',
  },
  {
    of: /^select "position", "received_at" as "receivedAt", "sealed"(, "references")? from "notification" where "integration_id"/,
    why: 'Postgres applies no array operator before the policy, so that a tenant reads all notifications of its integration.',
  },
  {
    of: /^select "a"\.\*, "m"\."reference_id", "o"\."refunded", /,
    why: 'Without statistics the policy of alert outcomes reads all alerts of the merchant once.',
  },
  {
    of: /^with closed as \( select win_probability/,
    why: 'The calibration report, requested by an operator, reads all closed cases.',
  },
  {
    of: /^select (split_part\(left\(t|convert_from\(substr\(t)\./,
    why: '`key status`, requested by an operator, counts all sealed values.',
  },
  {
    of: /^select i\.source, c\.psp_account as "pspAccount", c\.chargeback_id as reference, json_agg/,
    why: '`integration duplicates`, requested by an operator, compares all chargebacks.',
  },
  {
    of: /^select "chargeback_id" from "chargeback" where "integration_id" = \$1 order by "created_at" desc limit \$2$/,
    why: 'The check of a rotated secret finds the newest dispute of its integration, once for each rotation.',
  },
  {
    of: /^select case when jsonb_typeof\("a"\.settings -> 'filesPerChargeback'\)/,
    why: 'Without statistics the files of a chargeback are counted by a join over all submissions; with them by its commands.',
  },
  {
    of: /^select concat\(.* from chargeback where merchant_uuid = \$1 and merged_into is null and "\w+" = any\(/,
    why: 'Several values of a filter have no common order in an index: without statistics Postgres sorts what they select.',
  },
  {
    of: /^select concat\(.* and case when due_date is null then 'infinity' else due_date end < \$2 order by posting_sort/,
    why: 'What is due before a day, in the order of the posting date, is found by the due date and then sorted.',
  },
  {
    of: /^with charged as \( select posting_month/,
    why: 'The ratio reads the sums of a merchant for its months: the fill has far more sums than chargebacks make.',
  },
  {
    of: /^select t\.timeline_event_id as id, t\.merchant_uuid as "merchantUuid", .* t\.timeline_event_id > s\.last_timeline_event/,
    why: 'Once after a database was copied into another cluster, all rows without a position are read.',
  },
  {
    of: /^update chargeback c set package_wanted_at = next_package_wanted\(.* m\.account_id = \$1/,
    why: 'A new version of a playbook, saved by an operator, has the evidence of all open cases of its account built again.',
  },
  {
    of: /^select integration_id as "integrationId", external_identifier as "externalIdentifier"/,
    why: 'Without statistics the first thousand chargebacks of an integration are counted through two indexes; with them through one.',
  },
  {
    of: /^select c\.id as "chargebackId", .* p on true order by c\.due_date, c\.id$/,
    why: 'The preview of a policy, requested by a person, looks at up to a thousand open cases of a merchant.',
  },
  {
    of: /^with walked as materialized \( select \* from event where merchant_uuid = \$1/,
    why: 'Without statistics a page of events sorts all that the merchant has after the position; with them it reads the page.',
  },
  {
    of: /^with chosen as \( select (distinct d\.event_position|e\.position)/,
    why: 'A replay, requested by a person, inserts all that it names.',
  },
  {
    of: /^update webhook_delivery set state = 'cancelled', finished_at = now\(\) where endpoint_id = \$1 and state = 'pending'/,
    why: 'Disabling or deleting an endpoint cancels all that waits for it, once.',
  },
  {
    of: /\(select count\(\*\)::int from webhook_delivery d where d\.endpoint_id = w\.endpoint_id and d\.state = 'pending'\) as pending/,
    why: 'What waits is counted in the index of pending deliveries; until autovacuum has been there, in the table.',
  },
  {
    of: /^select concat\(.* from chargeback where merchant_uuid = \$1 and merged_into is null .*order by/,
    why: 'Without statistics Postgres may sort all chargebacks of a merchant with millions of them to show a page of its list.',
    from: TEN_MILLION,
    fresh: true,
  },
  {
    of: /^select c\.id as "chargebackId", .* c\.package_again_at <= \$1 /,
    why: 'Without statistics the sweep of packages to build again reads all open chargebacks.',
    from: TEN_MILLION,
    fresh: true,
  },
  {
    of: /^with recent as materialized \( select merchant_uuid, transaction_id, arn, data_points from transaction_record where updated_at/,
    why: 'Without statistics Postgres expects a third of the transaction records to be recent, and reads the table.',
    from: TEN_MILLION,
    fresh: true,
  },
  {
    of: /^with told as \(select distinct merchant_uuid from event where position > \$1/,
    why: 'Without statistics Postgres expects a third of the events to be new, and reads the table.',
    from: TEN_MILLION,
    fresh: true,
  },
  {
    of: /^with found as materialized \( select file_id from file t where .* t\.transaction_reference = any/,
    why: 'Files of a transaction are erased, except those that a submission is sending. Without statistics Postgres reads all evidence submissions to find these.',
    from: TEN_MILLION,
    fresh: true,
  },
  {
    of: /^select count\(\*\)::float8 as count from webhook_delivery where state = 'pending'$/,
    why: 'The gauge of pending deliveries counts them in an index. Before the first autovacuum Postgres looks each one up in the table, too. The result is cached.',
    from: TEN_MILLION,
    fresh: true,
  },
  {
    of: /^select psp as of, count\(\*\)::float8 as value from chargeback where status in/,
    why: 'The gauge of cases that are due soon counts them in an index. Before the first autovacuum Postgres looks each one up in the table, too. The result is cached.',
    from: TEN_MILLION,
    fresh: true,
  },
  {
    of: /\(select count\(\*\) as "count" from "quarantine" as "q"/,
    why: 'The objects in quarantine of an integration are counted in an index. Before the first autovacuum Postgres looks each one up in the table, too.',
    from: TEN_MILLION,
    fresh: true,
  },
  {
    of: /^delete from list_page where integration_id = \$1 and object_hashes &&/,
    why: 'A dispute that was read by itself is looked for on all stored pages of its integration’s list: 40,000 pages for four million disputes.',
    from: TEN_MILLION,
  },
  {
    of: /^select c\.id as "chargebackId", .* \(c\.package_at is null or c\.package_wanted_at > c\.package_at\) order by/,
    why: 'The sweep of packages reads all that are to be built: ten times as many as with a million chargebacks.',
    from: TEN_MILLION,
  },
  {
    of: /^select concat\(.* card_last_four_digits = \$8/,
    why: 'A search by the last four digits of a card reads all chargebacks that have them: 500 for a merchant with five million chargebacks.',
    from: TEN_MILLION,
  },
  {
    of: /^with automatic as materialized/,
    why: 'The sweep of automatic submissions reads all chargebacks whose submission is due: ten times as many as with a million chargebacks.',
    from: TEN_MILLION,
  },
  {
    of: /^with points as materialized/,
    why: 'The sweep of reminders reads all that are due: ten times as many as with a million chargebacks.',
    from: TEN_MILLION,
  },
  {
    of: /^select reference, reason, seen, first_seen_at as "firstSeenAt", last_seen_at as "lastSeenAt" from quarantine where integration_id = \$1 order by/,
    why: '`integration quarantine`, requested by an operator, shows all objects in quarantine of an integration: 41,000 here.',
    from: TEN_MILLION,
  },
]

/** The statements of `NAMED` for a database of this size. The product must still send each of them. */
export const namedOf = ({ chargebacks }: Size, fresh: boolean): Named[] =>
  NAMED.filter((named) => chargebacks >= (named.from ?? 0) && (fresh || !named.fresh))
