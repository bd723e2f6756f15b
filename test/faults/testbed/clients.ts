import { setTimeout as pause } from 'node:timers/promises'
import { type History, type HistoryRequest, type HistoryResponse, openHistory } from '../history.ts'
import type { Dispute, Testbed } from './prepare.ts'

/** Statuses that one client received, in order; null = unknown result (no response, or a 5xx). */
export interface Client {
  dispute: Dispute
  statuses: (number | null)[]
  /** Resolves when it has a definite response. */
  done: Promise<void>
  stop(): void
}

/**
 * A client as the interface requires: repeats its request until the response is below 500. The responses go into the
 * chargeback's history, with one read right after the last one: no later read may show an older state.
 */
export function requestUntilDefinite(
  testbed: Testbed,
  dispute: Dispute,
  request: HistoryRequest,
  { history = openHistory(), name = 'client' }: { history?: History; name?: string } = {},
): Client {
  const statuses: Client['statuses'] = []
  let stopped = false
  const record = (what: HistoryRequest) => history.record(name, what, () => send(testbed, dispute.chargebackId, what))
  const done = (async () => {
    for (let wait = 100; !stopped; wait = Math.min(wait * 2, 1_000)) {
      const response = await record(request)
      statuses.push(response?.status ?? null)
      if (response) {
        if (response.status < 300) await record(statusOf(request, response))
        return
      }
      await pause(wait)
    }
  })()
  return {
    dispute,
    statuses,
    done,
    stop() {
      stopped = true
    },
  }
}

/** The read of the command's status. */
const statusOf = (request: HistoryRequest, { id = '' }: HistoryResponse): HistoryRequest =>
  request.kind === 'submit' ? { kind: 'read_submission', id } : { kind: 'read_acceptance' }

const PATHS: Record<HistoryRequest['kind'], string> = {
  accept: '/accept',
  submit: '/evidence/submit',
  read_acceptance: '/accept',
  read_submission: '/evidence/submit/',
  read_chargeback: '',
}

/** One request; null = no response. */
export async function send(
  testbed: Testbed,
  chargebackId: string,
  request: HistoryRequest,
): Promise<HistoryResponse | null> {
  const { stack } = testbed
  const write = request.kind === 'accept' || request.kind === 'submit'
  try {
    const path = `/chargebacks/${chargebackId}${PATHS[request.kind]}${request.kind === 'read_submission' ? request.id : ''}`
    const response = await fetch(`${stack.apis.at(-1)?.url}/v1${path}`, {
      method: write ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${stack.token}`, 'content-type': 'application/json' },
      signal: AbortSignal.timeout(20_000),
      ...(request.kind === 'submit' && { body: JSON.stringify({ fileId: request.fileId }) }),
    })
    const body = (await response.json()) as Record<string, string> & { data?: Record<string, string> }
    if (response.status >= 400) return responseOf(response.status, { code: body.code })
    if (write) return responseOf(response.status, { id: body.id })
    if (request.kind !== 'read_chargeback')
      return responseOf(response.status, { state: body.status, at: body.acceptedAt ?? body.submittedAt })
    return responseOf(response.status, { state: body.data?.status, pspStatus: body.data?.pspStatus })
  } catch {
    return null
  }
}

const responseOf = (status: number, rest: Record<string, string | undefined>): HistoryResponse => ({
  status,
  ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined)),
})

/** Every state that a command's row was seen in, oldest first. */
export interface Watch {
  seen: Map<string, { status: string; version: bigint }[]>
  stop(): Promise<void>
}

/** Reads all commands repeatedly, as status reads do. Waits while Postgres is down. */
export function watchCommands(testbed: Testbed, everyMs = 60): Watch {
  const seen: Watch['seen'] = new Map()
  let stopped = false
  const readAll = async () => {
    const rows = await testbed.stack.db.selectFrom('command').select(['command_id', 'status', 'version']).execute()
    for (const { command_id, status, version } of rows) {
      const states = seen.get(command_id) ?? []
      seen.set(command_id, states)
      const last = states.at(-1)
      if (last?.status !== status || last.version !== version) states.push({ status, version })
    }
  }
  const watching = (async () => {
    for (; !stopped; await pause(everyMs)) await readAll().catch(() => undefined)
    await readAll().catch(() => undefined)
  })()
  return {
    seen,
    async stop() {
      stopped = true
      await watching
    },
  }
}
