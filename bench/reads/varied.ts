import pg from 'pg'

/**
 * Adds chargebacks of many kinds to a merchant: of three PSPs, four currencies, five reason groups and three stages over
 * three years. Those of the last month and one in three hundred others are open.
 */
export async function addVaried(url: string, merchantUuid: string, chargebacks: number): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    await client.query(`select set_config('recoup.scope', 'system', false)`)
    await client.query(INSERT, [merchantUuid, chargebacks])
    await client.query('vacuum analyze')
  } finally {
    await client.end()
  }
}

const INSERT = `
  insert into chargeback (id, merchant_uuid, integration_id, chargeback_id, psp, currency, amount_minor, amount_exponent,
    posting_date, due_date, psp_status, psp_status_change_date, status, status_reason, lifecycle_stage, reason_group,
    reason_code, reason, arn, transaction_id, card_scheme, card_last_four_digits, roi_recommendation, scope_decision,
    content_hash, translation_version, read_at)
  select gen_random_uuid(), $1, (select integration_id from integration where merchant_uuid = $1 limit 1), 'dp_' || n,
    (array['stripe', 'stripe', 'stripe', 'stripe', 'stripe', 'stripe', 'stripe', 'adyen', 'adyen', 'paypal'])[1 + h % 10],
    currency, h % 50000 + 100, case currency when 'JPY' then 0 else 2 end, at, at + interval '20 days', psp_status,
    case when psp_status in ('won', 'lost') then at + make_interval(days => 20 + h % 70) else at end,
    case psp_status when 'needs_response' then (array['waiting_for_data', 'building_evidence'])[1 + h % 2]
      when 'under_review' then 'pending_psp_results'
      else (array['pending_psp_results', 'pending_psp_results', 'not_represented'])[1 + h % 3] end,
    'It is new.', (array['inquiry', 'second_chargeback', 'chargeback'])[least(1 + h % 40, 3)],
    (array['fraud', 'fraud', 'fraud', 'consumer_dispute', 'processing_error', 'authorization', 'general'])[1 + h % 7],
    '10.4', 'Fraud', 'arn' || n, 'ch_' || n, 'visa', lpad((h % 10000)::text, 4, '0'),
    case when h % 2 = 0 then (array['Fight', 'Accept'])[1 + h % 4 / 2] end,
    case when h % 12 = 0 then '{"by":"scope_rule","inScope":false}'::jsonb end,
    decode(md5(n::text), 'hex'), 1, now()
  from (select *, case when h % 211 = 0 then 'JPY' else (array['EUR', 'EUR', 'USD', 'GBP'])[1 + h / 10 % 4] end as currency,
      case when not open then (array['won', 'lost', 'lost'])[1 + h % 3] when h % 2 = 0 then 'needs_response'
        else 'under_review' end as psp_status
    from (select *, at > now() - interval '30 days' or h % 301 = 0 as open
      from (select n, now() - interval '3 years' * (1 - n::float8 / $2::int) as at, (abs(hashint4(n)::bigint) % 1000003)::int as h
        from generate_series(1, $2::int) n) numbered) dated) drawn`
