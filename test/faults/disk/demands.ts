import { setTimeout as pause } from 'node:timers/promises'
import { answerOf } from '../responses.ts'
import type { Client } from '../testbed/clients.ts'
import type { Dispute, Testbed } from '../testbed/prepare.ts'

/** Requests of clients during a shortage, and their responses that are not allowed. */
export interface Demands {
  /** Repeats the request until it is accepted; reads the chargeback in between. */
  ask(dispute: Dispute, path: string, body?: unknown): Client
  /** Repeats the upload until it is accepted. */
  upload(file: Buffer): { done: Promise<void>; stop(): void }
  /** Responses that the interface does not describe. */
  unclean(): string[]
  /** Number of requests without a response. */
  unanswered(): number
}

/** `mute`: the API may be down. */
export function openDemands({ stack }: Testbed, mute: boolean): Demands {
  const unclean = new Set<string>()
  let unanswered = 0
  const send = async (what: string, path: string, init: RequestInit): Promise<number | null> => {
    const { status, clean, code = '' } = await answerOf(stack, path, init)
    if (status === null) unanswered += 1
    if (!clean && !(status === null && mute)) unclean.add(`${what} got ${status ?? 'no response'} ${code}`)
    return status
  }
  const json = { 'content-type': 'application/json' }
  return {
    unclean: () => [...unclean],
    unanswered: () => unanswered,
    ask(dispute, path, body) {
      const statuses: Client['statuses'] = []
      let stopped = false
      const place = `/chargebacks/${dispute.chargebackId}`
      const init = { method: 'POST', ...(body !== undefined && { headers: json, body: JSON.stringify(body) }) }
      const done = (async () => {
        for (; !stopped; await pause(200)) {
          const status = await send('a command', `${place}/${path}`, init)
          statuses.push(status !== null && status < 500 ? status : null)
          if (isAccepted(status)) return
          await send('a read', place, {})
        }
      })()
      const stop = () => {
        stopped = true
      }
      return { dispute, statuses, done, stop }
    },
    upload(file) {
      let stopped = false
      const done = (async () => {
        for (; !stopped; await pause(200)) {
          const form = new FormData()
          form.append('file', new Blob([new Uint8Array(file)], { type: 'application/pdf' }), 'evidence.pdf')
          form.append('purpose', 'evidence_file')
          if (isAccepted(await send('an upload', '/files', { method: 'POST', body: form }))) return
        }
      })()
      const stop = () => {
        stopped = true
      }
      return { done, stop }
    },
  }
}

const isAccepted = (status: number | null) => status !== null && status < 300
