import { APPLIED, FOUND } from '../../db/commands/psp-operations.ts'
import type { EffectRecord } from '../../simulators/engine/contract.ts'
import { matches } from '../../simulators/engine/match.ts'
import { requestOf } from '../faults/testbed/psps.ts'
import { commandMayMove, mayMove } from './rules.ts'
import type { CommandRow, View } from './view.ts'

/** What the model has seen so far. Each view is compared with it, then added to it. */
export interface Memory {
  /** States of each dispute at the PSP, oldest first, and the index of the one that Recoup shows. */
  truths: Map<string, { history: string[]; followed: number }>
  commands: Map<string, CommandRow>
  rounds: Map<string, { round: number; status: string }>
  /** Disputes that a human contested in the PSP's dashboard. */
  answered: Set<string>
  calls: number
}

export const newMemory = (): Memory => ({
  truths: new Map(),
  commands: new Map(),
  rounds: new Map(),
  answered: new Set(),
  calls: 0,
})

/** Maximum ms between the first and the last call with one key: later the PSP may have forgotten the key. */
const WRITE_WINDOW_MS = 23 * 3_600_000
/** A digest of our key: some PSPs accept short keys only. */
const HASHED = /^[0-9a-f]{36,64}$/
const WRITES = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])

/** @returns a sentence for each violated invariant (the promises in docs/testing.md) */
export function compare(view: View, memory: Memory): string[] {
  const broken = [
    ...onceEach(view),
    ...keyed(view),
    ...readBefore(view),
    ...neverBoth(view),
    ...statusesMoveOn(view, memory),
    ...followsThePsp(view, memory),
    ...noFalseFailed(view),
    ...inTime(view, memory),
    ...reportedOnce(view),
    ...asTheCallLog(view),
  ]
  for (const command of view.commands) memory.commands.set(command.commandId, command)
  for (const { id, round, status } of view.chargebacks) memory.rounds.set(id, { round, status })
  memory.calls = view.calls.length
  return broken
}

const irreversible = ({ effects }: View) => effects.filter(({ kind }) => kind !== 'upload')

function repeated(keys: string[]): string[] {
  return [...new Set(keys.filter((key, index) => keys.indexOf(key) !== index))]
}

/** I2, by the PSP's own count of rounds, and by the effect that our key names. */
function onceEach(view: View): string[] {
  const byRound = irreversible(view).map(({ ref, kind, round }) => `${kind} of ${ref} in the PSP's round ${round}`)
  const byKey = irreversible(view).flatMap((effect) => identityOf(effect, view) ?? [])
  return repeated([...byRound, ...byKey]).map((what) => `I2: twice at the PSP: ${what}`)
}

/** `accept:<chargeback>:<round>`, if the PSP stores keys unchanged. */
function identityOf({ idempotencyKey }: EffectRecord, { operations }: View): string | null {
  const operation = operations.find(({ effect }) => idempotencyKey?.startsWith(`${effect}:`))
  return operation?.effect ?? null
}

/** I2: each effect has the key of our ledger, if the PSP accepts keys and stores them unchanged. */
function keyed(view: View): string[] {
  if (!view.acceptsKeys) return []
  return irreversible(view).flatMap((effect) => {
    const { idempotencyKey: key } = effect
    if (key !== null && (HASHED.test(key) || identityOf(effect, view) !== null)) return []
    return [
      `I2: ${effect.kind} of ${effect.ref} took effect under ${key === null ? 'no key' : 'a key that is not ours'}`,
    ]
  })
}

/** I2: before an effect is sent again, the dispute is read, if paths name it. */
function readBefore({ calls, effects }: View): string[] {
  const paths = new Map(
    effects.flatMap(({ kind, ref, requestId }) => {
      const path = calls.find((call) => call.requestId === requestId)?.path
      return kind === 'upload' || !ref || !path?.includes(ref) ? [] : [[path, ref] as const]
    }),
  )
  return [...paths].flatMap(([path, ref]) => {
    const about = calls.filter((call) => call.path.includes(ref))
    const again = about.some((call, index) => {
      const before = about[index - 1]
      return WRITES.has(call.method) && call.path === path && before?.path === path && WRITES.has(before.method)
    })
    return again ? [`I2: sent again without a read in between: ${path.split('/').at(-1)}`] : []
  })
}

/** I5 */
function neverBoth(view: View): string[] {
  const rounds = new Set(irreversible(view).map(({ ref, round }) => `${ref} round ${round}`))
  const both = (round: string) =>
    new Set(irreversible(view).flatMap((one) => (`${one.ref} round ${one.round}` === round ? one.kind : []))).size > 1
  const open = view.commands
    .filter(({ status }) => status !== 'failed')
    .map(({ chargebackId, round }) => `${chargebackId} round ${round}`)
  return [
    ...[...rounds].filter(both).map((round) => `I5: accepted and contested: ${round}`),
    ...repeated(open).map((round) => `I5: two commands that have not failed: ${round}`),
  ]
}

/** I4 */
function statusesMoveOn(view: View, memory: Memory): string[] {
  const commands = view.commands.flatMap((now) => {
    const before = memory.commands.get(now.commandId)
    if (!before || commandMayMove(before.status, now.status)) return []
    return [`I4: a command went ${before.status} → ${now.status}`]
  })
  const chargebacks = view.chargebacks.flatMap((now) => {
    const before = memory.rounds.get(now.id)
    if (!before) return []
    if (now.round < before.round) return [`I4: round ${before.round} → ${now.round}`]
    // Between two views there may be several changes; but `pending_psp_results` can't end in the same round.
    const held = before.status === 'pending_psp_results' && now.round === before.round
    return held && now.status !== before.status ? [`I4: ${before.status} → ${now.status} in one round`] : []
  })
  const moves = view.timeline.filter(({ what }) => what === 'status changed')
  const wrong = moves.flatMap(({ before, after }) => {
    const [from, to] = [String(before?.status), String(after?.status)]
    return from === 'pending_psp_results' || mayMove(from, to) ? [] : [`I4: the timeline reports ${from} → ${to}`]
  })
  return [...commands, ...chargebacks, ...wrong]
}

/** I4: Recoup shows a state that the dispute had at the PSP, and never one older than it showed before. */
function followsThePsp(view: View, { truths }: Memory): string[] {
  return view.chargebacks.flatMap(({ ref, pspStatus, stage }) => {
    const known = truths.get(ref)
    if (!known) return [`I1: the dispute ${ref} is unknown`]
    const found = known.history.indexOf(`${pspStatus}/${stage}`, known.followed)
    if (found < 0) return [`I4: ${pspStatus}/${stage} after ${known.history.slice(known.followed).join(', ')}`]
    known.followed = found
    return []
  })
}

/** I2 and I3: no effect of a command that failed, while it was open. */
function noFalseFailed(view: View): string[] {
  const { commands, chargebacks } = view
  return commands.flatMap((failed) => {
    if (failed.status !== 'failed') return []
    const ref = chargebacks.find(({ id }) => id === failed.chargebackId)?.ref
    const same = ({ chargebackId, kind }: CommandRow) => chargebackId === failed.chargebackId && kind === failed.kind
    const next = commands.slice(commands.indexOf(failed) + 1).find(same)
    const until = next?.requestedAt.getTime() ?? Number.POSITIVE_INFINITY
    const worked = irreversible(view).some((effect) => {
      const when = Date.parse(effect.when)
      const ours = effect.ref === ref && effect.kind === (failed.kind === 'acceptance' ? 'acceptance' : 'submission')
      return ours && when >= failed.requestedAt.getTime() && when < until
    })
    return worked ? [`I3: false failed: ${failed.kind} (${failed.error})`] : []
  })
}

/** I7: no write to a dispute after its due date as we knew it; I2: none with an old key. */
function inTime(view: View, memory: Memory): string[] {
  const fresh = view.calls.slice(memory.calls).filter(({ method }) => WRITES.has(method))
  return fresh.flatMap((call) => {
    const when = Date.parse(call.when)
    const row = view.chargebacks.find(({ ref }) => call.path.includes(ref))
    const late = row?.dueDate && row.dueDate.getTime() <= when
    const first = view.calls.find(({ idempotencyKey: key }) => key !== null && key === call.idempotencyKey)
    const old = first && when - Date.parse(first.when) > WRITE_WINDOW_MS
    return [
      ...(late ? [`I7: ${call.method} ${call.path.split('/').at(-1)} after the due date`] : []),
      ...(old ? ['I2: a key was used again after 23 hours'] : []),
    ]
  })
}

/** Number of requests of a command's kind about its dispute; about any dispute, if the path names none. */
export function callsOf({ calls, chargebacks, source }: View, { kind, chargebackId }: CommandRow): number {
  const ref = chargebacks.find(({ id }) => id === chargebackId)?.ref ?? ''
  const request = requestOf(source, kind === 'acceptance' ? 'accept' : 'submit', ref)
  if (!request) return 0
  const { body: _, ...pattern } = request
  return calls.filter((call) => matches(pattern, call.method, call.path)).length
}

/** I10: `applied` needs a call, and the timeline says so if an effect was found at the PSP. */
function asTheCallLog(view: View): string[] {
  return view.commands.flatMap((command) => {
    const own = view.operations.find(
      (one) => one.commandId === command.commandId && /^(accept|submit):/.test(one.effect) && one.state === 'confirmed',
    )
    const end = view.timeline.find(
      ({ what, after }) => what.endsWith(' succeeded') && Object.values(after ?? {}).includes(command.commandId),
    )
    const found = end?.after?.foundAtPsp === true
    return [
      ...(own?.outcome === APPLIED && callsOf(view, command) === 0
        ? [`I10: the ledger says applied, and the PSP was never called: ${command.kind}`]
        : []),
      ...(end && own && own.outcome !== 'told by an operator' && (own.outcome === FOUND) !== found
        ? [`I10: the timeline ${found ? 'says' : 'does not say'} that it was found at the PSP: ${command.kind}`]
        : []),
    ]
  })
}

/** I10 */
function reportedOnce({ commands, timeline }: View): string[] {
  return commands.flatMap(({ chargebackId, kind, status, commandId }) => {
    const words = kind.replace('_', ' ')
    const rows = timeline.filter(
      (row) => row.chargebackId === chargebackId && Object.values(row.after ?? {}).includes(commandId),
    )
    const count = (what: string) => rows.filter((row) => row.what === `${words} ${what}`).length
    const ended = status === 'succeeded' || status === 'failed'
    return [
      ...(count('requested') === 1 ? [] : [`I10: ${words} requested is reported ${count('requested')} times`]),
      ...(['succeeded', 'failed'] as const).flatMap((end) =>
        count(end) === (ended && end === status ? 1 : 0)
          ? []
          : [`I10: ${words} ${end} is reported ${count(end)} times, it is ${status}`],
      ),
    ]
  })
}
