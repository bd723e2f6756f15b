/** Requests of clients about one chargeback and their responses: the input of the linearizability checker. */

export type HistoryRequest =
  | { kind: 'accept' }
  | { kind: 'submit'; fileId: string }
  | { kind: 'read_acceptance' }
  | { kind: 'read_submission'; id: string }
  | { kind: 'read_chargeback' }

/** A definite response, with the fields that a client relies on. */
export interface HistoryResponse {
  status: number
  /** Of a success. */
  id?: string
  /** Of a refusal. */
  code?: string
  /** `status` of what was read. */
  state?: string
  /** `acceptedAt` or `submittedAt`. */
  at?: string
  pspStatus?: string
}

export interface Operation {
  client: string
  request: HistoryRequest
  /** ms, of one clock for all clients */
  from: number
  /** null = unknown: it may take effect at any later time, or never. */
  to: number | null
  response: HistoryResponse | null
}

/** History of one chargeback. Operations are in the order of their requests. */
export interface History {
  operations: Operation[]
  /** Records the request and its result. `send` returns null if the client can't know the result. */
  record(
    client: string,
    request: HistoryRequest,
    send: () => Promise<HistoryResponse | null>,
  ): Promise<HistoryResponse | null>
}

export function openHistory(): History {
  const operations: Operation[] = []
  return {
    operations,
    async record(client, request, send) {
      const operation: Operation = { client, request, from: performance.now(), to: null, response: null }
      operations.push(operation)
      const response = await send().catch(() => null)
      // After no response or a 5xx anything may have happened, or may still happen.
      if (response === null || response.status >= 500) return null
      operation.to = performance.now()
      operation.response = response
      return response
    },
  }
}

export const isWrite = ({ request: { kind } }: Operation) => kind === 'accept' || kind === 'submit'

/**
 * The operations that matter: reads without a response had no effect, and of equal consecutive reads of one client the
 * first and the last suffice.
 */
export function condensed(operations: readonly Operation[]): Operation[] {
  const shown = operations.filter((one) => isWrite(one) || one.response !== null)
  const rows = new Map<string, Operation[]>()
  for (const one of shown) {
    if (isWrite(one)) continue
    const key = `${one.client} ${JSON.stringify(one.request)}`
    rows.set(key, [...(rows.get(key) ?? []), one])
  }
  const same = (one: Operation, other: Operation | undefined) =>
    JSON.stringify(one.response) === JSON.stringify(other?.response)
  const dropped = new Set(
    [...rows.values()].flatMap((row) => row.filter((one, at) => same(one, row[at - 1]) && same(one, row[at + 1]))),
  )
  return shown.filter((one) => !dropped.has(one))
}

/** One line for each, for the report. Times are seconds since the first request. */
export function linesOf(operations: readonly Operation[]): string[] {
  const zero = operations[0]?.from ?? 0
  const seconds = (at: number | null) => (at === null ? '…' : ((at - zero) / 1_000).toFixed(3))
  return operations.map(({ client, request: { kind }, from, to, response }) => {
    const { status, ...rest } = response ?? { status: 'unknown' }
    const shown = [status, ...Object.values(rest)].join(' ')
    return `${client}: ${kind.replace('_', ' ')} ${seconds(from)}–${seconds(to)} → ${shown}`
  })
}
