import type { Fault, FaultKind } from '../../simulators/engine/faults.ts'
import type { FaultPoint } from '../harness/fault-points/points.ts'
import { type Cell, nameOf, type Outcome, type Selection, seedsOf } from './cells.ts'
import { type Act, runCells } from './crash.ts'
import { askedTooEarly } from './retry-after.ts'
import type { CommandKind, RequestName, Step } from './steps.ts'
import { resolveByDashboard } from './testbed/operator.ts'
import type { Dispute, Testbed } from './testbed/prepare.ts'
import { ADAPTERS, contestOf, requestOf } from './testbed/psps.ts'

/** An ambiguous response of the PSP: a row of the matrix. */
interface PspFault {
  key: string
  kind: FaultKind
  retryAfter?: () => string
  /** That PSP may mean it as a definite refusal. */
  mayFail?: boolean
  delayMs?: number
}

const SECOND = 1_000
/** Whole seconds, the precision of an HTTP date. Two at least, because time passes until it is sent. */
const inSomeSeconds = () => new Date(Math.ceil(Date.now() / SECOND) * SECOND + 2 * SECOND).toUTCString()
const PSP_FAULTS: readonly PspFault[] = [
  { key: '429', kind: '429', retryAfter: () => '2' },
  { key: '429_date', kind: '429', retryAfter: inSomeSeconds },
  { key: '429_silent', kind: '429' },
  { key: '401', kind: '401', mayFail: true },
  { key: '403', kind: '403', mayFail: true },
  { key: '409', kind: '409', mayFail: true },
  ...['500', '500_stored', '500_after_apply', '502_html', '503_empty'].map(plain),
  ...['reset', 'reset_after_apply', 'timeout', 'timeout_after_apply'].map(plain),
  ...['malformed', 'truncated', 'empty', 'unlabelled', '200_html'].map(plain),
  { key: 'redirect', kind: 'redirect', mayFail: true },
  { key: 'slow', kind: 'slow', delayMs: 1_500 },
  { key: 'trickle', kind: 'trickle', delayMs: 20 },
]

function plain(kind: string): PspFault {
  return { key: kind, kind: kind as FaultKind }
}

interface RequestStep extends Step {
  request: RequestName | 'read'
}

function stepOf(command: CommandKind, key: string, request: RequestStep['request'], point: FaultPoint): RequestStep {
  const prefix = command === 'acceptance' ? '' : 'evidence_'
  const title = `the response to the request to ${request} (${key})`
  return {
    key: `${prefix}${key}`,
    command,
    title,
    request,
    hold: { at: 'point', point, by: 'worker' },
    impossible: () => null,
  }
}

/** Each request of a command and the fault point right before it. The first one is irreversible. */
const REQUESTS: readonly RequestStep[] = [
  stepOf('acceptance', 'call', 'accept', 'accept.before_call'),
  stepOf('acceptance', 'probe', 'read', 'accept.before_probe'),
  stepOf('acceptance', 'confirm', 'read', 'accept.before_confirm'),
  stepOf('submission', 'call', 'submit', 'submit.before_call'),
  stepOf('submission', 'describe', 'read', 'submit.before_plan'),
  stepOf('submission', 'upload', 'upload', 'submit.before_upload'),
  stepOf('submission', 'stage', 'stage', 'submit.before_stage_call'),
  stepOf('submission', 'probe', 'read', 'submit.before_probe'),
  stepOf('submission', 'confirm', 'read', 'submit.before_confirm'),
]

/** Concurrent commands: more would only wait for each other. */
const AT_ONCE = 40

/** Cells of the PSP's responses, in groups that run together. */
export function ambiguousCells(selection: Selection): { groups: Cell[][]; skipped: Outcome[] } {
  const skipped: Outcome[] = []
  const groups: Cell[][] = []
  const only = selection.cell
  for (const seed of seedsOf(selection)) {
    const cells: Cell[] = []
    for (const step of REQUESTS)
      for (const [turn, answer] of PSP_FAULTS.entries()) {
        // Each response once, alternately to the final call of an acceptance and of a submission.
        const chosen = step.key === (turn % 2 === 0 ? 'call' : 'evidence_call')
        if (selection.reduced && !chosen) continue
        const all = (selection.adapters ?? ADAPTERS).map((adapter) => cellOf(step, answer, adapter, seed))
        const possible = all.filter(({ adapter }) => requestOf(adapter, step.request, '') !== null)
        const inTurn = possible[(turn + seed) % Math.max(1, possible.length)]
        cells.push(...(selection.reduced ? possible.filter((cell) => cell === inTurn) : possible))
        for (const cell of all.filter((one) => !possible.includes(one)))
          skipped.push({ cell, result: 'skipped', why: [whyNot(step, cell)] })
      }
    const wanted = cells.filter((cell) => !only || nameOf(cell) === only)
    for (let from = 0; from < wanted.length; from += AT_ONCE) groups.push(wanted.slice(from, from + AT_ONCE))
  }
  if (only && groups.length === 0) throw new Error(`there is no cell ${only}`)
  return { groups, skipped: only ? [] : skipped }
}

function whyNot(step: RequestStep, { adapter }: Cell): string {
  const contest = contestOf(adapter)
  if (step.request === 'read') return 'this PSP has no API to read a dispute: its notifications are used'
  if (step.request === 'stage') return 'this PSP accepts the evidence in one call: nothing is staged'
  return contest
    ? 'this PSP accepts the document within another call: there is no separate upload'
    : 'it accepts no evidence'
}

function cellOf(step: RequestStep, answer: PspFault, adapter: Cell['adapter'], seed: number): Cell {
  return { strike: `psp:${answer.key}`, step, adapter, seed, mayFail: answer.mayFail ?? false }
}

/** Arms each cell's fault right before its request, then releases it. A fault that was never used fails its cell. */
export async function runAmbiguous(testbed: Testbed, cells: readonly Cell[]): Promise<Outcome[]> {
  const armed = new Map<Cell, { fault: Fault; dispute: Dispute }>()
  const armAll: Act = async (_, { release }, subjects) => {
    for (const { cell, dispute } of subjects) armed.set(cell, { fault: arm(testbed, cell, dispute), dispute })
    await release()
    const unknowable = subjects.filter(({ cell }) => cannotBeKnown(cell))
    await Promise.all(unknowable.map(({ dispute }) => resolveByDashboard(testbed, dispute)))
  }
  const outcomes = await runCells(testbed, cells, armAll)
  for (const outcome of outcomes) {
    const { fault, dispute } = armed.get(outcome.cell) ?? {}
    const why = fault?.left === 0 ? [] : ['the fault was never used']
    if (dispute && fault?.retryAfter) why.push(...askedTooEarly(callsAbout(testbed, dispute), fault.retryAfter))
    if (why.length > 0) Object.assign(outcome, { result: 'failed', why: [...outcome.why, ...why] })
  }
  for (const engine of Object.values(testbed.engines)) engine.faults.clear()
  return outcomes
}

/** Only Stripe's stored response says who closed a dispute: not if it is a 500, or is forgotten. */
const cannotBeKnown = ({ adapter, step, strike, seed }: Cell) =>
  adapter === 'stripe' &&
  step.key === 'call' &&
  strike.endsWith('_after_apply') &&
  (strike.includes('500') || forgets(seed))

/** In every second round the PSP forgets idempotency keys: then only reads and its state prevent a second effect. */
const forgets = (seed: number) => seed % 2 === 0

function callsAbout(testbed: Testbed, { adapter, reference }: Dispute) {
  return testbed.engines[adapter].ledger.calls.filter(({ path }) => path.includes(reference))
}

function arm(testbed: Testbed, { strike, step, seed }: Cell, dispute: Dispute): Fault {
  const engine = testbed.engines[dispute.adapter]
  const pspFault = PSP_FAULTS.find(({ key }) => strike === `psp:${key}`)
  const match = requestOf(dispute.adapter, (step as RequestStep).request, dispute.reference)
  if (!pspFault || !match) throw new Error(`no request to fault for ${strike}`)
  if (forgets(seed)) engine.answers.find = () => undefined
  const { kind, delayMs = SECOND } = pspFault
  return engine.faults.arm({ kind, left: 1, match, retryAfter: pspFault.retryAfter?.(), delayMs })
}
