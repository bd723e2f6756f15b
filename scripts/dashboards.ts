/** Grafana's dashboards in deploy/grafana, made from the rows below. Panels are half a row wide, in reading order. */
interface Panel {
  title: string
  expr: string
  /** Grafana's name of the unit; a plain number by default. */
  unit?: string
  /** One number instead of a graph over time. */
  stat?: true
  /** Name of a line, with labels in braces. */
  legend?: string
}

interface Dashboard {
  title: string
  panels: Panel[]
}

/** Every worker reads the gauges of Postgres: take max() over the workers, never sum(). */
export const DASHBOARDS: Record<string, Dashboard> = {
  overview: {
    title: 'Recoup: overview',
    panels: [
      { title: 'Commands that need attention', expr: 'max(commands_needs_attention)', stat: true },
      { title: 'Open commands close to their due date', expr: 'max(commands_due_soon)', stat: true },
      { title: 'Longest time since a poll', expr: 'max(poll_freshness_seconds)', unit: 's', stat: true },
      { title: 'Delay of work to start', expr: 'max(outbox_lag_seconds)', unit: 's', stat: true },
      {
        title: 'Chargebacks by status',
        expr: 'sum by (status) (max by (psp, status) (chargebacks))',
        legend: '{{status}}',
      },
      {
        title: 'Chargebacks due within 3 days, without a response',
        expr: 'max by (psp) (chargebacks_due_soon)',
        legend: '{{psp}}',
      },
      {
        title: 'Amounts at risk',
        expr: 'max by (currency) (chargebacks_at_risk_amount)',
        legend: '{{currency}}',
      },
      {
        title: 'API: share of responses that are not server errors',
        expr: '1 - sum(rate(recoup_api_requests_total{status=~"5.."}[5m])) / sum(rate(recoup_api_requests_total[5m]))',
        unit: 'percentunit',
      },
      {
        title: 'API: requests by status',
        expr: 'sum by (status) (rate(recoup_api_requests_total[5m]))',
        unit: 'reqps',
        legend: '{{status}}',
      },
      {
        title: 'API: time of a response by route, 95th percentile',
        expr: 'histogram_quantile(0.95, sum by (le, route) (rate(recoup_api_request_duration_seconds_bucket[5m])))',
        unit: 's',
        legend: '{{route}}',
      },
      {
        title: 'API: refusals by code',
        expr: 'sum by (code) (rate(recoup_api_refusals_total[5m]))',
        unit: 'reqps',
        legend: '{{code}}',
      },
      {
        title: 'API: connections to Postgres',
        expr: 'sum by (state) (recoup_api_database_connections)',
        legend: '{{state}}',
      },
    ],
  },
  psps: {
    title: 'Recoup: PSPs',
    panels: [
      {
        title: 'Integrations by status',
        expr: 'max by (psp, status) (integrations)',
        legend: '{{psp}} {{status}}',
      },
      {
        title: 'Chargebacks by PSP and status',
        expr: 'max by (psp, status) (chargebacks)',
        legend: '{{psp}} {{status}}',
      },
      {
        title: 'Requests to PSPs by result',
        expr: 'sum by (psp, result) (rate(psp_requests_total[5m]))',
        unit: 'reqps',
        legend: '{{psp}} {{result}}',
      },
      {
        title: 'Share of requests that fail',
        expr: 'sum by (psp) (rate(psp_requests_total{result!~"2.."}[10m])) / sum by (psp) (rate(psp_requests_total[10m]))',
        unit: 'percentunit',
        legend: '{{psp}}',
      },
      { title: 'Delay of the most overdue poll', expr: 'max(poll_lag_seconds)', unit: 's' },
      {
        title: 'Disputes whose outcome was not reported, per day',
        expr: 'sum by (psp) (increase(disputes_stale_total[1d]))',
        legend: '{{psp}}',
      },
    ],
  },
  webhooks: {
    title: 'Recoup: events and webhooks',
    panels: [
      {
        title: 'Delay of changes until they are in the event log',
        expr: 'max(event_sequencer_lag_seconds)',
        unit: 's',
        stat: true,
      },
      {
        title: 'Longest wait of an endpoint for a worker',
        expr: 'max(webhook_wait_seconds)',
        unit: 's',
        stat: true,
      },
      { title: 'Events that wait to be sent', expr: 'max(webhook_pending)', stat: true },
      { title: 'Endpoints that fail', expr: 'max(webhook_endpoints{state="failing"})', stat: true },
      {
        title: 'Requests by result',
        expr: 'sum by (result) (rate(webhook_deliveries_total[5m]))',
        unit: 'reqps',
        legend: '{{result}}',
      },
      {
        title: 'Time from an event to its 2xx at the first attempt, 95th percentile',
        expr: 'histogram_quantile(0.95, sum by (le) (rate(webhook_latency_seconds_bucket[5m])))',
        unit: 's',
      },
      { title: 'Endpoints by state', expr: 'max by (state) (webhook_endpoints)', legend: '{{state}}' },
      { title: 'Events that wait, over time', expr: 'max(webhook_pending)' },
    ],
  },
  workers: {
    title: 'Recoup: workers and Temporal',
    panels: [
      {
        title: 'Wait of activities for a worker, 95th percentile',
        expr: 'histogram_quantile(0.95, sum by (le, task_queue) (rate(temporal_activity_schedule_to_start_latency_bucket[5m])))',
        unit: 'ms',
        legend: '{{task_queue}}',
      },
      {
        title: 'Wait of workflow tasks for a worker, 95th percentile',
        expr: 'histogram_quantile(0.95, sum by (le, task_queue) (rate(temporal_workflow_task_schedule_to_start_latency_bucket[5m])))',
        unit: 'ms',
        legend: '{{task_queue}}',
      },
      {
        title: 'Free slots',
        expr: 'sum by (task_queue, worker_type) (temporal_worker_task_slots_available)',
        legend: '{{task_queue}} {{worker_type}}',
      },
      {
        title: 'Time of activities, 95th percentile',
        expr: 'histogram_quantile(0.95, sum by (le, activity_type) (rate(temporal_activity_execution_latency_bucket[5m])))',
        unit: 'ms',
        legend: '{{activity_type}}',
      },
      { title: 'Expired rows deleted', expr: 'max by (kind) (retention_deleted_rows)', legend: '{{kind}}' },
      {
        title: 'Age of the last complete pass of deletions',
        expr: 'max by (kind) (retention_pass_seconds)',
        unit: 's',
        legend: '{{kind}}',
      },
      {
        title: 'Age of the oldest expiring row that was kept',
        expr: 'max by (kind) (retention_oldest_seconds)',
        unit: 's',
        legend: '{{kind}}',
      },
      { title: 'Fullest quota of files', expr: 'max(file_quota_used_ratio)', unit: 'percentunit' },
      { title: 'Clocks of workers, ahead of Postgres', expr: 'clock_ahead_seconds', unit: 's', legend: '{{instance}}' },
      {
        title: 'Clocks of APIs, ahead of Postgres',
        expr: 'recoup_api_clock_ahead_seconds',
        unit: 's',
        legend: '{{instance}}',
      },
    ],
  },
}

const COLUMNS = 24
const SOURCE = { type: 'prometheus', uid: '$source' }

/** A file for Grafana's "Import", or its provisioning. Its variable chooses the Prometheus. */
export function dashboardFile(name: string): string {
  const { title, panels } = DASHBOARDS[name] as Dashboard
  let x = 0
  let y = 0
  const placed = panels.map(({ title, expr, unit = 'short', stat, legend = title }, at) => {
    const [w, h] = stat ? [COLUMNS / 4, 4] : [COLUMNS / 2, 8]
    if (x + w > COLUMNS) x = 0
    const gridPos = { x, y, w, h }
    x += w
    if (x >= COLUMNS) {
      x = 0
      y += h
    }
    return {
      ...{ id: at + 1, type: stat ? 'stat' : 'timeseries', title, gridPos, datasource: SOURCE },
      fieldConfig: { defaults: { unit }, overrides: [] },
      targets: [{ refId: 'A', datasource: SOURCE, expr, legendFormat: legend }],
    }
  })
  const source = { name: 'source', type: 'datasource', query: 'prometheus', label: 'Prometheus' }
  const board = {
    ...{ uid: `recoup-${name}`, title, tags: ['recoup'], editable: true, schemaVersion: 39 },
    ...{ refresh: '1m', time: { from: 'now-24h', to: 'now' }, templating: { list: [source] }, panels: placed },
  }
  return `${JSON.stringify(board, null, 2)}\n`
}
