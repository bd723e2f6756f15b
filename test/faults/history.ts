/** Requests of clients about one chargeback and their responses: the input of the linearizability checker. */

export type Asked =
  | { kind: 'accept' }
  | { kind: 'submit'; fileId: string }
  | { kind: 'read_acceptance' }
  | { kind: 'read_submission'; id: string }
  | { kind: 'read_chargeback' }

/** A definite response, with the fields that a client relies on. */
export interface Answer {
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
  asked: Asked
  /** ms, of one clock for all clients */
  from: number
  /** null = unknown: it may take effect at any later time, or never. */
  to: number | null
  answer: Answer | null
}

/** History of one chargeback. Operations are in the order of their requests. */
export interface History {
  operations: Operation[]
  /** Records the request and its result. `send` returns null if the client can't know the result. */
  record(client: string, asked: Asked, send: () => Promise<Answer | null>): Promise<Answer | null>
}

export function openHistory(): History {
  const operations: Operation[] = []
  return {
    operations,
    async record(client, asked, send) {
      const operation: Operation = { client, asked, from: performance.now(), to: null, answer: null }
      operations.push(operation)
      const answer = await send().catch(() => null)
      // After no response or a 5xx anything may have happened, or may still happen.
      if (answer === null || answer.status >= 500) return null
      operation.to = performance.now()
      operation.answer = answer
      return answer
    },
  }
}

export const isWrite = ({ asked: { kind } }: Operation) => kind === 'accept' || kind === 'submit'

/**
 * The operations that matter: reads without a response had no effect, and of equal consecutive reads of one client the
 * first and the last suffice.
 */
export function condensed(operations: readonly Operation[]): Operation[] {
  const shown = operations.filter((one) => isWrite(one) || one.answer !== null)
  const rows = new Map<string, Operation[]>()
  for (const one of shown) {
    if (isWrite(one)) continue
    const key = `${one.client} ${JSON.stringify(one.asked)}`
    rows.set(key, [...(rows.get(key) ?? []), one])
  }
  const same = (one: Operation, other: Operation | undefined) =>
    JSON.stringify(one.answer) === JSON.stringify(other?.answer)
  const dropped = new Set(
    [...rows.values()].flatMap((row) => row.filter((one, at) => same(one, row[at - 1]) && same(one, row[at + 1]))),
  )
  return shown.filter((one) => !dropped.has(one))
}

/** One line for each, for the report. Times are seconds since the first request. */
export function linesOf(operations: readonly Operation[]): string[] {
  const zero = operations[0]?.from ?? 0
  const seconds = (at: number | null) => (at === null ? '…' : ((at - zero) / 1_000).toFixed(3))
  return operations.map(({ client, asked: { kind }, from, to, answer }) => {
    const { status, ...rest } = answer ?? { status: 'unknown' }
    const shown = [status, ...Object.values(rest)].join(' ')
    return `${client}: ${kind.replace('_', ' ')} ${seconds(from)}–${seconds(to)} → ${shown}`
  })
}
