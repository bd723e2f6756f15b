import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface HealthChecks {
  /** Whether the process works. */
  health(): boolean
  /** Whether the process and the servers it needs work; one line per problem. */
  ready(): Promise<string[]>
  /** Warnings for operators that do not affect readiness. */
  notes(): string[]
  metrics(): Promise<string>
}

/** Serves `/health`, `/ready` and `/metrics` of the worker. */
export async function serveHealth(
  checks: HealthChecks,
  host: string,
  port: number,
): Promise<AsyncDisposable & { port: number }> {
  const server = createServer(async (request, response) => {
    const json = (status: number, body: object) => {
      response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' })
      response.end(JSON.stringify(body))
    }
    switch (request.url) {
      case '/health':
        return checks.health() ? json(200, { status: 'ok' }) : json(503, { status: 'stopping' })
      case '/ready': {
        const problems = await checks.ready()
        if (problems.length > 0) return json(503, { status: 'not ready', problems })
        const notes = checks.notes()
        return json(200, { status: 'ready', ...(notes.length > 0 && { problems: notes }) })
      }
      case '/metrics': {
        const text = await checks.metrics()
        response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4' })
        return response.end(text)
      }
      default:
        return json(404, { status: 404, message: 'Ask /health, /ready or /metrics' })
    }
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve))
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
