import { setTimeout as pause } from 'node:timers/promises'
import { type Answer, type Asked, type History, openHistory } from '../history.ts'
import type { Dispute, Ground } from './prepare.ts'

/** What one client was told, in order; null = it can't know (no answer, or a server's failure). */
export interface Client {
  dispute: Dispute
  answers: (number | null)[]
  /** Resolves once it has an answer of which it can be sure. */
  done: Promise<void>
  stop(): void
}

/**
 * A client as the interface asks for it: repeats its request until it is answered with less than 500. What it was told
 * goes into the chargeback's history, with one read right after its answer: nobody must be told less than it knows.
 */
export function askUntilAnswered(
  ground: Ground,
  dispute: Dispute,
  asked: Asked,
  { history = openHistory(), name = 'client' }: { history?: History; name?: string } = {},
): Client {
  const answers: Client['answers'] = []
  let stopped = false
  const record = (what: Asked) => history.record(name, what, () => send(ground, dispute.chargebackId, what))
  const done = (async () => {
    for (let wait = 100; !stopped; wait = Math.min(wait * 2, 1_000)) {
      const answer = await record(asked)
      answers.push(answer?.status ?? null)
      if (answer) {
        if (answer.status < 300) await record(statusOf(asked, answer))
        return
      }
      await pause(wait)
    }
  })()
  return {
    dispute,
    answers,
    done,
    stop() {
      stopped = true
    },
  }
}

/** The read that tells how it goes on. */
const statusOf = (asked: Asked, { id = '' }: Answer): Asked =>
  asked.kind === 'submit' ? { kind: 'read_submission', id } : { kind: 'read_acceptance' }

const PATHS: Record<Asked['kind'], string> = {
  accept: '/accept',
  submit: '/evidence/submit',
  read_acceptance: '/accept',
  read_submission: '/evidence/submit/',
  read_chargeback: '',
}

/** One request; null = no answer. */
export async function send(ground: Ground, chargebackId: string, asked: Asked): Promise<Answer | null> {
  const { stack } = ground
  const write = asked.kind === 'accept' || asked.kind === 'submit'
  try {
    const path = `/chargebacks/${chargebackId}${PATHS[asked.kind]}${asked.kind === 'read_submission' ? asked.id : ''}`
    const answer = await fetch(`${stack.apis.at(-1)?.url}/v1${path}`, {
      method: write ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${stack.token}`, 'content-type': 'application/json' },
      signal: AbortSignal.timeout(20_000),
      ...(asked.kind === 'submit' && { body: JSON.stringify({ fileId: asked.fileId }) }),
    })
    const body = (await answer.json()) as Record<string, string> & { data?: Record<string, string> }
    if (answer.status >= 400) return toldOf(answer.status, { code: body.code })
    if (write) return toldOf(answer.status, { id: body.id })
    if (asked.kind !== 'read_chargeback')
      return toldOf(answer.status, { state: body.status, at: body.acceptedAt ?? body.submittedAt })
    return toldOf(answer.status, { state: body.data?.status, pspStatus: body.data?.pspStatus })
  } catch {
    return null
  }
}

const toldOf = (status: number, rest: Record<string, string | undefined>): Answer => ({
  status,
  ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined)),
})

/** Every state that a command's row was seen in, oldest first. */
export interface Watch {
  seen: Map<string, { status: string; version: bigint }[]>
  stop(): Promise<void>
}

/** Looks at all commands all the time, as status reads do; an outage is waited out. */
export function watchCommands(ground: Ground, everyMs = 60): Watch {
  const seen: Watch['seen'] = new Map()
  let stopped = false
  const look = async () => {
    const rows = await ground.stack.db.selectFrom('command').select(['command_id', 'status', 'version']).execute()
    for (const { command_id, status, version } of rows) {
      const states = seen.get(command_id) ?? []
      seen.set(command_id, states)
      const last = states.at(-1)
      if (last?.status !== status || last.version !== version) states.push({ status, version })
    }
  }
  const watching = (async () => {
    for (; !stopped; await pause(everyMs)) await look().catch(() => undefined)
    await look().catch(() => undefined)
  })()
  return {
    seen,
    async stop() {
      stopped = true
      await watching
    },
  }
}
