import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Clock } from '../../db/core/clock.ts'
import type { ConnectedDatabase } from '../../db/core/connect.ts'

export type Metrics = ReturnType<typeof createMetrics>

/** Metrics without tenant labels: only the route template, the method and the status. */
export function createMetrics({ db, clock }: { db: ConnectedDatabase; clock?: Pick<Clock, 'ahead'> }) {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, prefix: 'recoup_api_' })
  const requests = new Counter({
    name: 'recoup_api_requests_total',
    help: 'Requests answered',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  })
  const refusals = new Counter({
    name: 'recoup_api_refusals_total',
    help: 'Error responses by the code of the error',
    labelNames: ['code'],
    registers: [registry],
  })
  const duration = new Histogram({
    name: 'recoup_api_request_duration_seconds',
    help: 'Time from request to response',
    labelNames: ['method', 'route'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  })
  const cspReports = new Counter({
    name: 'recoup_api_console_csp_reports_total',
    help: "Reports of browsers about the console's content security policy, by directive",
    labelNames: ['directive'],
    registers: [registry],
  })
  const connections = new Gauge({
    name: 'recoup_api_database_connections',
    help: 'Connections of the pool by state; waiting = requests for one',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      this.set({ state: 'total' }, db.pool.totalCount)
      this.set({ state: 'idle' }, db.pool.idleCount)
      this.set({ state: 'waiting' }, db.pool.waitingCount)
    },
  })
  new Gauge({
    name: 'recoup_api_clock_ahead_seconds',
    help: 'How far this machine’s clock is ahead of the database’s; negative = behind',
    registers: [registry],
    collect() {
      this.set(clock?.ahead() ?? Number.NaN)
    },
  })
  return {
    record(request: { method: string; route: string; status: number; code: string | undefined; seconds: number }) {
      const { method, route, status, code, seconds } = request
      requests.inc({ method, route, status })
      if (code) refusals.inc({ code })
      duration.observe({ method, route }, seconds)
    },
    recordCspReport: (directive: string) => cspReports.inc({ directive }),
    async render() {
      connections.reset()
      return { text: await registry.metrics(), type: registry.contentType }
    },
  }
}
