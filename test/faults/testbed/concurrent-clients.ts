import { setTimeout as pause } from 'node:timers/promises'
import { chanceOf, nameOf } from '../cells.ts'
import type { HistoryRequest } from '../history.ts'
import { explained } from '../invariants/linearizable.ts'
import type { Violation } from '../invariants/violation.ts'
import { type Client, requestUntilDefinite, send } from './clients.ts'
import { prepareFile } from './documents.ts'
import type { Testbed } from './prepare.ts'
import type { Subject } from './subject.ts'

/** Mean milliseconds between two reads, over all chargebacks: other work needs the machine, too. */
const BETWEEN_MS = 50
/** A rival sends its request within this time. */
const RIVAL_MS = 1_500
const ANSWERED_MS = 5_000

export interface Readers {
  /** Resolves when each has read once more. */
  stop(): Promise<void>
}

/** For each chargeback a client that reads the command's status and the chargeback repeatedly. */
export function readAll(testbed: Testbed, subjects: readonly Subject[]): Readers {
  let stopped = false
  const reading = subjects.map(async (subject) => {
    const chance = chanceOf(subject.cell.seed, `${nameOf(subject.cell)} reader`)
    const read = (request: HistoryRequest) =>
      subject.history.record('reader', request, () => send(testbed, subject.dispute.chargebackId, request))
    while (!stopped) {
      const some = readsOf(subject)
      await read(some[Math.floor(chance() * some.length)] as HistoryRequest)
      await pause(Math.max(100, BETWEEN_MS * subjects.length) * (0.5 + chance()))
    }
    for (const request of readsOf(subject)) await read(request)
  })
  return {
    async stop() {
      stopped = true
      await Promise.all(reading)
    },
  }
}

/** Every read that a client can send; of a submission only if its id was returned. */
function readsOf({ history }: Subject): HistoryRequest[] {
  const submissions = history.operations.flatMap(({ request, response }) =>
    request.kind === 'submit' && response?.status === 201 && response.id ? [response.id] : [],
  )
  return [
    { kind: 'read_acceptance' },
    { kind: 'read_chargeback' },
    ...[...new Set(submissions)].map((id): HistoryRequest => ({ kind: 'read_submission', id })),
  ]
}

export interface Rivals {
  /** Sends those of commands that are held now. @returns those that still wait for a response */
  send(missing: ReadonlySet<Subject>): Promise<Client[]>
}

/**
 * For two thirds of the chargebacks, chosen by the seed, a second client that sends a request while the first one's
 * command is held at its step: the other command, the same one again, or another file. It must not change the cell:
 * where a command may fail, the rival gets its response before the first command continues, which still excludes it
 * then; and no rival waits for a row that is held.
 * @param files what the first clients submit
 */
export async function prepareRivals(
  testbed: Testbed,
  subjects: readonly Subject[],
  files: ReadonlyMap<Subject, string>,
): Promise<Rivals> {
  const rivals = subjects.filter(isFree).flatMap((subject) => {
    const chance = chanceOf(subject.cell.seed, `${nameOf(subject.cell)} rival`)
    const kind = (['other', 'again', null] as const)[Math.floor(chance() * 3)] ?? null
    return kind === null ? [] : [{ subject, kind, wait: chance() * RIVAL_MS }]
  })
  const [first] = rivals
  if (!first) return { send: async () => [] }
  // Any file of the merchant works, because it must never be sent.
  const another = await prepareFile(testbed, first.subject.dispute)
  const askedBy = ({ subject, kind }: typeof first): HistoryRequest => {
    const fileId = files.get(subject)
    if (fileId === undefined) return kind === 'again' ? { kind: 'accept' } : { kind: 'submit', fileId: another }
    if (kind === 'again') return { kind: 'submit', fileId }
    return subject.cell.seed % 2 === 1 ? { kind: 'accept' } : { kind: 'submit', fileId: another }
  }
  const ask = (rival: typeof first) => {
    const { dispute, history } = rival.subject
    return requestUntilDefinite(testbed, dispute, askedBy(rival), { history, name: 'rival' })
  }
  return {
    async send(missing) {
      const sent = rivals.filter(({ subject }) => !missing.has(subject))
      const early = sent.filter(({ subject: { cell } }) => cell.mayFail || cell.alone)
      const answered = early.map(ask)
      await Promise.race([Promise.all(answered.map(({ done }) => done)), pause(ANSWERED_MS)])
      for (const client of answered) client.stop()
      return sent
        .filter((one) => !early.includes(one))
        .map((rival) => {
          const coming = pause(rival.wait).then(() => ask(rival))
          return {
            dispute: rival.subject.dispute,
            statuses: [],
            done: coming.then((client) => client.done),
            stop: () => void coming.then((client) => client.stop()),
          }
        })
    },
  }
}

/** Not where the row is locked, and not before the first client's request is committed: the rival could win. */
const isFree = ({ cell: { step } }: Subject) =>
  step.hold.at === 'wire' || (step.hold.at === 'point' && !step.hold.point.endsWith('.during_record'))

/** Responses and effects of each chargeback that no order of its requests explains. */
export function historiesTrue({ engines }: Testbed, subjects: readonly Subject[]): Violation[] {
  return subjects.flatMap(({ cell, dispute: { adapter, reference, chargebackId }, history }): Violation[] => {
    const of = (kind: string) =>
      engines[adapter].ledger.effects.filter((one) => one.ref === reference && one.kind === kind).length
    const effects = { acceptance: of('acceptance'), submission: of('submission') }
    const sentence = explained(history.operations, { chargebackId, others: cell.alone ?? false }, effects)
    return sentence === null ? [] : [{ invariant: 'linearizable', chargebackId, sentence }]
  })
}
