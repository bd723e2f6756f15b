import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serveOrders } from '../runner/child.ts'

export type ReceiversOrder = { do: 'open' } | { do: 'state' }

export interface ReceiversState {
  url: string
  requests: number
  /** Ids of events. */
  distinct: number
  /** When the newest request began, ms since 1970. */
  lastAt: number
}

const seen = new Set<string>()
const state: ReceiversState = { url: '', requests: 0, distinct: 0, lastAt: 0 }

/** Receivers of merchants, each at a path of its own: they read the body and answer at once. */
const server = createServer((request, response) => {
  const at = Date.now()
  request.resume().on('end', () => {
    seen.add(String(request.headers['webhook-id']))
    Object.assign(state, { requests: state.requests + 1, distinct: seen.size, lastAt: at })
    response.writeHead(204).end()
  })
})

await serveOrders(async ({ do: what }: ReceiversOrder): Promise<ReceiversState> => {
  if (what === 'open') {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    state.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }
  return state
})
