import { setTimeout as pause } from 'node:timers/promises'
import type { Dispute, Ground } from './ground.ts'

/** What one client was told, in order; null = it can't know (no answer, or a server's failure). */
export interface Client {
  dispute: Dispute
  answers: (number | null)[]
  /** Resolves once it has an answer of which it can be sure. */
  done: Promise<void>
  stop(): void
}

/** A client as the interface asks for it: repeats its request until it is answered with less than 500. */
export function askUntilAnswered(ground: Ground, dispute: Dispute, path: string, body?: unknown): Client {
  const answers: Client['answers'] = []
  let stopped = false
  const done = (async () => {
    for (let wait = 100; !stopped; wait = Math.min(wait * 2, 1_000)) {
      const status = await once(ground, path, body)
      answers.push(status !== null && status < 500 ? status : null)
      if (status !== null && status < 500) return
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

async function once(ground: Ground, path: string, body: unknown): Promise<number | null> {
  const { stack } = ground
  try {
    const answer = await fetch(`${stack.apis.at(-1)?.url}/v1${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${stack.token}`, 'content-type': 'application/json' },
      signal: AbortSignal.timeout(20_000),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    await answer.arrayBuffer()
    return answer.status
  } catch {
    return null
  }
}

/** Every state that a command's row was seen in, oldest first. */
export interface Watch {
  seen: Map<string, { status: string; version: bigint }[]>
  stop(): Promise<void>
}

/** Looks at all commands all the time, as status reads do; an outage is waited out. */
export function watchCommands(ground: Ground): Watch {
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
    for (; !stopped; await pause(60)) await look().catch(() => undefined)
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
