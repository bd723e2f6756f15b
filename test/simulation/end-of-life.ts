import { resolveJob } from '../../db/commands/jobs.ts'
import { callsOf } from './invariants.ts'
import { Disagreement, type Life } from './life.ts'
import { commandOfRound } from './rules.ts'
import { truthOf } from './view.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
/** Maximum attempts in a row: with more, a run would never end. */
const MAX_ATTEMPTS = 60

/**
 * The end of a life: clears faults, resumes frozen attempts, and lets time pass until nothing is left to do. Then every
 * command must have ended as the PSP shows. @throws Disagreement
 */
export async function finish(life: Life): Promise<void> {
  const { world } = life
  world.engine.faults.clear()
  world.temporal.away = false
  world.inline = true
  if (world.mail) world.mail.pace = 'soon'
  for (let resumed = ''; resumed !== 'nothing is frozen'; ) {
    resumed = await world.worker.thaw()
    await life.compare(`thaw: ${resumed}`)
  }
  // A little longer than the deadline of the last command.
  for (let passed = 0, pause = MINUTE_MS; passed < 1.2 * DAY_MS; passed += pause, pause *= 2) {
    await world.clock.pass(pause)
    await round(life)
    if (passed > 10 * MINUTE_MS && quiet(life)) break
  }
  await resolveFlagged(life)
  await round(life)
  expectEnds(life)
  // Changes without a notification are found within a week.
  for (const days of [0.2, 8, 8]) {
    await world.clock.pass(days * DAY_MS)
    await round(life)
  }
  expectTruth(life)
}

/** What the schedules run within a minute. */
async function round(life: Life): Promise<void> {
  const { world } = life
  await life.attempt('drainOutbox')
  for (const activity of ['settleCommands', 'reconcileScopeRuns', 'drainOutbox'] as const) await life.attempt(activity)
  for (let left = MAX_ATTEMPTS; left > 0; left--) {
    const run = world.worker.next()
    if (!run || run.notBefore > world.clock.now()) break
    await world.worker.work(run)
  }
  await life.attempt('sweepDeadlines')
  await life.poll()
  await life.compare('quiet')
}

function quiet({ world, view }: Life): boolean {
  const running = world.temporal.runs().some(({ status }) => status === 'RUNNING')
  const open = view().commands.some(({ status, needsAttention }) => !needsAttention && !isEnd(status))
  return !running && !open
}

const isEnd = (status: string) => status === 'succeeded' || status === 'failed'

/** An operator resolves commands with an unknown outcome, as the PSP shows them. */
async function resolveFlagged(life: Life): Promise<void> {
  const { db, clock } = life.world
  await clock.pass(5 * MINUTE_MS)
  for (const command of life.view().commands.filter(({ status }) => !isEnd(status))) {
    const { effects, chargebacks } = life.view()
    const ref = chargebacks.find(({ id }) => id === command.chargebackId)?.ref
    const kind = command.kind === 'acceptance' ? 'acceptance' : 'submission'
    const done = effects.some(
      (one) => one.ref === ref && one.kind === kind && one.when >= command.requestedAt.toISOString(),
    )
    if (!command.needsAttention) throw new Disagreement(`I3: stuck: ${command.kind} ${command.status}\n${life.story()}`)
    const as = done ? 'succeeded' : 'failed'
    const result = await resolveJob(db, {
      jobId: command.commandId,
      as,
      reason: 'seen at the PSP',
      operator: 'simulation',
    }).then(
      () => as,
      (error: Error) => error.message,
    )
    await life.compare(`operator: ${result}`)
  }
}

/** I3, and the state of each chargeback after its command. */
function expectEnds(life: Life): void {
  const view = life.view()
  const broken = view.commands.flatMap((command) =>
    isEnd(command.status) ? [] : [`I3: ${command.kind} is ${command.status} for ever`],
  )
  for (const row of view.chargebacks) {
    const command = commandOfRound(row, view)
    if (command?.status !== 'succeeded') continue
    const expected = command.kind === 'acceptance' ? 'not_represented' : 'pending_psp_results'
    const mayWait = row.status === 'pending_psp_results' && command.kind === 'acceptance'
    if (row.status !== expected && !mayWait) broken.push(`I4: ${row.status} after ${command.kind} succeeded`)
  }
  for (const command of view.commands.filter(({ status }) => status === 'succeeded')) {
    const ref = view.chargebacks.find(({ id }) => id === command.chargebackId)?.ref ?? ''
    const kind = command.kind === 'acceptance' ? 'acceptance' : 'submission'
    const done = view.effects.filter((one) => one.ref === ref && one.kind === kind).length
    // Notifications don't say who submitted the documents that we uploaded (adapters/adyen/BEHAVIOR.md).
    const uploaded = command.kind !== 'acceptance' && callsOf(view, command) > 0
    const byItself = uploaded && life.world.mail !== null && life.memory.answered.has(ref)
    if (done === 0 && !byItself) broken.push(`I10: ${command.kind} succeeded, but the PSP shows no effect`)
  }
  if (broken.length > 0) throw new Disagreement(`${broken.join('\n')}\n${life.story()}`)
}

/** I1, I9: in the end every chargeback equals its dispute at the PSP. */
function expectTruth(life: Life): void {
  const broken = life.refs.flatMap((ref) => {
    const row = life.known(ref)
    const ours = row ? `${row.pspStatus}/${row.stage}` : 'nothing'
    const truth = truthOf(life.world, ref)
    return ours === truth ? [] : [`I1: ${ours} here, ${truth} at the PSP`]
  })
  if (broken.length > 0) throw new Disagreement(`${broken.join('\n')}\n${life.story()}`)
}
