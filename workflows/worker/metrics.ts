import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { countDueSoon, countNeedingAttention } from '../../db/commands/command-ends.ts'
import type { Clock } from '../../db/core/clock.ts'
import type { Database } from '../../db/core/connect.ts'
import { amountsAtRisk, countChargebacks, countChargebacksDueSoon, countIntegrations } from '../../db/core/gauges.ts'
import { outboxLag } from '../../db/core/outbox.ts'
import { sequencerLag } from '../../db/events/fresh-rows.ts'
import { fullestQuota } from '../../db/evidence/file-quota.ts'
import { oldestPollSeconds } from '../../db/integrations/connections.ts'
import { pollLagSeconds } from '../../db/polling/due.ts'
import { sweepStates } from '../../db/retention/retention.ts'
import { countEndpoints, countPending, longestWait } from '../../db/webhooks/gauges.ts'
import { STATUSES } from '../../domain/chargeback.ts'
import { INTEGRATION_STATUSES } from '../../domain/integration.ts'
import { countGauge, figureGauge, readSparingly } from './count-gauge.ts'
import { sweepGauges } from './sweep-gauges.ts'

export interface WorkerMetrics {
  counted(psp: string, result: string): void
  stale(psp: string, count: number): void
  delivered(result: string, latencySeconds: number | null): void
  /** An automatic submission is prevented. */
  blocked(code: string): void
  /** Prometheus text: Recoup's metrics, then the SDK's. */
  render(): Promise<string>
}

/** The worker's own metrics; those from Postgres are read at each scrape. */
export function createMetrics(db: Database, clock: Pick<Clock, 'ahead'>, sdkMetricsUrl: string): WorkerMetrics {
  const registry = new Registry()
  const requests = new Counter({
    name: 'psp_requests_total',
    help: 'HTTP responses and errors of PSPs',
    labelNames: ['psp', 'result'],
    registers: [registry],
  })
  const silent = new Counter({
    name: 'disputes_stale_total',
    help: 'Open disputes past their expected end, at PSPs that can only be followed by notifications',
    labelNames: ['psp'],
    registers: [registry],
  })
  const deliveries = new Counter({
    name: 'webhook_deliveries_total',
    help: 'Requests to webhook endpoints: delivered (2xx), refused (another response), unreachable (none)',
    labelNames: ['result'],
    registers: [registry],
  })
  const latency = new Histogram({
    name: 'webhook_latency_seconds',
    help: 'From the event to the 2xx of its first attempt',
    buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300],
    registers: [registry],
  })
  const prevented = new Counter({
    name: 'evidence_automatic_blocked_total',
    help: 'Chargebacks whose evidence is not submitted automatically, by what prevents it',
    labelNames: ['code'],
    registers: [registry],
  })
  const gauge = (name: string, help: string, read: () => Promise<number>) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        this.set(await read().catch(() => Number.NaN))
      },
    })
  gauge('outbox_lag_seconds', 'Age of the oldest outbox row', () => outboxLag(db))
  gauge('event_sequencer_lag_seconds', 'Age of the oldest timeline row that is not in the event log yet', () =>
    sequencerLag(db),
  )
  gauge('commands_needs_attention', 'Commands with an unknown outcome that need an operator', () =>
    countNeedingAttention(db),
  )
  gauge('commands_due_soon', 'Open commands near the due date of their chargeback', () => countDueSoon(db))
  gauge(
    'poll_freshness_seconds',
    'Age of the oldest last successful poll of an integration that should poll, FAILED ones included',
    () => oldestPollSeconds(db),
  )
  gauge('poll_lag_seconds', 'How long the most overdue poll has waited for a shard; 0 while schedules poll', () =>
    pollLagSeconds(db),
  )
  countGauge(
    registry,
    { name: 'integrations', help: 'Integrations by PSP and status', statuses: INTEGRATION_STATUSES },
    () => countIntegrations(db),
  )
  countGauge(
    registry,
    { name: 'chargebacks', help: 'Chargebacks by PSP and status', statuses: STATUSES },
    readSparingly(() => countChargebacks(db)),
  )
  figureGauge(
    registry,
    {
      ...{ name: 'chargebacks_due_soon', label: 'psp' },
      help: 'Chargebacks without a response that are due within 3 days, by PSP',
    },
    readSparingly(() => countChargebacksDueSoon(db)),
  )
  figureGauge(
    registry,
    {
      ...{ name: 'chargebacks_at_risk_amount', label: 'currency' },
      help: 'Sum of the amounts of chargebacks that the PSP has not decided, in major units, by currency',
    },
    readSparingly(() => amountsAtRisk(db)),
  )
  gauge('webhook_pending', 'Events that wait to be sent to a webhook endpoint', () => countPending(db))
  gauge('webhook_wait_seconds', 'How long the endpoint that has waited longest for a worker has been due', () =>
    longestWait(db),
  )
  figureGauge(
    registry,
    { name: 'webhook_endpoints', label: 'state', help: 'Webhook endpoints by state: enabled, failing, disabled' },
    () => countEndpoints(db),
  )
  gauge('file_quota_used_ratio', 'Share of its file quota that the fullest account uses', () => fullestQuota(db))
  sweepGauges(registry, () => sweepStates(db))
  gauge(
    'clock_ahead_seconds',
    'How far this machine’s clock is ahead of the database’s; negative = behind',
    async () => clock.ahead() ?? Number.NaN,
  )
  return {
    counted: (psp, result) => requests.inc({ psp, result }),
    stale: (psp, count) => silent.inc({ psp }, count),
    delivered(result, latencySeconds) {
      deliveries.inc({ result })
      if (latencySeconds !== null) latency.observe(latencySeconds)
    },
    blocked: (code) => prevented.inc({ code }),
    async render() {
      const sdk = await fetch(sdkMetricsUrl, { signal: AbortSignal.timeout(2_000) }).then(
        (response) => response.text(),
        () => '',
      )
      return `${await registry.metrics()}\n${sdk}`
    },
  }
}
