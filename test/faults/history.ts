/** What clients asked about one chargeback and what they were told, for a judge who knows nothing else. */

export type Asked =
  | { kind: 'accept' }
  | { kind: 'submit'; fileId: string }
  | { kind: 'read_acceptance' }
  | { kind: 'read_submission'; id: string }
  | { kind: 'read_chargeback' }

/** A definite answer; of its body what a client goes by. */
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
  /** null = nobody knows: it takes effect at any time from then on, or never. */
  to: number | null
  answer: Answer | null
}

/** One chargeback's. Operations stand in the order in which they were asked. */
export interface History {
  operations: Operation[]
  /** Notes that it is asked, and what comes of it. `send` answers null where the client can't know. */
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
      // No answer and a failure of the server say the same: anything may have happened, or may still.
      if (answer === null || answer.status >= 500) return null
      operation.to = performance.now()
      operation.answer = answer
      return answer
    },
  }
}

export const isWrite = ({ asked: { kind } }: Operation) => kind === 'accept' || kind === 'submit'

/**
 * What is worth an argument: reads without an answer had no effect, and of equal reads of one client in a row the first
 * and the last say everything.
 */
export function condensed(operations: readonly Operation[]): Operation[] {
  const told = operations.filter((one) => isWrite(one) || one.answer !== null)
  const rows = new Map<string, Operation[]>()
  for (const one of told) {
    if (isWrite(one)) continue
    const key = `${one.client} ${JSON.stringify(one.asked)}`
    rows.set(key, [...(rows.get(key) ?? []), one])
  }
  const same = (one: Operation, other: Operation | undefined) =>
    JSON.stringify(one.answer) === JSON.stringify(other?.answer)
  const dropped = new Set(
    [...rows.values()].flatMap((row) => row.filter((one, at) => same(one, row[at - 1]) && same(one, row[at + 1]))),
  )
  return told.filter((one) => !dropped.has(one))
}

/** A line each, for whoever reads the report; seconds since the first was asked. */
export function linesOf(operations: readonly Operation[]): string[] {
  const zero = operations[0]?.from ?? 0
  const seconds = (at: number | null) => (at === null ? '…' : ((at - zero) / 1_000).toFixed(3))
  return operations.map(({ client, asked: { kind }, from, to, answer }) => {
    const { status, ...rest } = answer ?? { status: 'unknown' }
    const told = [status, ...Object.values(rest)].join(' ')
    return `${client}: ${kind.replace('_', ' ')} ${seconds(from)}–${seconds(to)} → ${told}`
  })
}
