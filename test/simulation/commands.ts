import fc from 'fast-check'
import type { Subject } from '../../adapters/conformance/subject.ts'
import { sendNotifications } from '../../adapters/simulator/notify.ts'
import { Disagreement, type Life } from './life.ts'
import { type Asked, commandOfRound, expectedAnswer } from './rules.ts'
import type { Strike } from './worker.ts'

/** What the generator knows: which commands make sense. */
export interface Model {
  disputes: number
}

type Command = fc.AsyncCommand<Model, Life>

const MINUTE_MS = 60_000
const MOST_DISPUTES = 3

/** One thing that happens. `about`: needs a dispute. */
function command(name: string, about: boolean, act: (life: Life) => Promise<string>): Command {
  return {
    check: ({ disputes }) => !about || disputes > 0,
    run: (_, life) => life.step(name, () => act(life)),
    toString: () => name,
  }
}

const refOf = ({ refs }: Life, which: number) => refs[which % refs.length] ?? ''

/** Client calls, decisions, faults and moves of the clock, as often as they are interesting. */
export function commandsFor(subject: Subject): fc.Arbitrary<Command> {
  const { capabilities } = subject.definition
  const acceptStages = capabilities.accept ? capabilities.accept.stages : []
  const contestStages = capabilities.contest ? capabilities.contest.stages : []
  const open = subject.simulator.profile.situations.filter((one) => one.status === 'needs_response' && one.open)
  const stages = [...new Set(open.map((one) => one.stage))]
  const which = fc.nat(MOST_DISPUTES - 1)
  const strike: fc.Arbitrary<Strike> = fc.record({
    how: fc.constantFrom('dies', 'freezes'),
    nth: fc.integer({ min: 1, max: 6 }),
  })
  const weighted: [number, fc.Arbitrary<Command>][] = [
    [
      4,
      fc.record({ stage: fc.constantFrom(...favoured(stages)), dueInHours: fc.constantFrom(20, 60, 200) }).map(opening),
    ],
    [
      5,
      fc
        .record({ which, inline: fc.boolean() })
        .map((of) => asking(of, { kind: 'acceptance', fileId: null, acceptStages, contestStages })),
    ],
    [
      8,
      fc
        .record({ which, inline: fc.boolean(), file: fc.constantFrom(0, 0, 0, 1) })
        .map((of) => asking(of, { kind: 'evidence_submission', fileId: '', acceptStages, contestStages })),
    ],
    [2, fc.record({ which, fight: fc.boolean() }).map(fighting)],
    [2, fc.option(fc.constantFrom(...stages), { nil: null }).map(ruling)],
    [10, fc.constant(command('work', false, workThrough))],
    [7, strike.map(struckWork)],
    [3, fc.constant(command('thaw', false, ({ world }) => world.worker.thaw()))],
    [
      6,
      fc
        .record({ kind: fc.constantFrom(...WRITE_FAULTS), times: fc.constantFrom(1, 1, 2) })
        .map((of) => faulting(subject, of)),
    ],
    [2, fc.constantFrom(...READ_FAULTS).map(faultingReads)],
    [4, fc.record({ which, outcome: fc.constantFrom('won', 'lost', 'reopened', 'reopened') }).map(deciding)],
    [4, fc.option(strike, { nil: null, freq: 6 }).map(polling)],
    [2, which.map(notifying)],
    [5, fc.constant(command('reconcile', false, reconcile))],
    [1, fc.nat(5).map(terminating)],
    [1, fc.constant(command('temporal wiped', false, wiping))],
    [1, fc.boolean().map(reaching)],
    [6, fc.constantFrom(2, 2, 30, 30, 180, 13 * 60, 23.2 * 60, 25 * 60, 80 * 60).map(passing)],
  ]
  return fc.oneof(...weighted.map(([weight, arbitrary]) => ({ weight, arbitrary })))
}

/** Most disputes are plain chargebacks or claims; every other stage comes up too. */
const favoured = (stages: string[]) => [...stages, ...stages.filter((one) => one === 'chargeback' || one === 'claim')]

const WRITE_FAULTS = [
  ...['reset_after_apply', 'timeout_after_apply', '500_after_apply', '500_stored', '500', '429', 'malformed', 'empty'],
  ...['409', 'reset', 'timeout', '503_empty', '200_html', '403'],
] as const
const READ_FAULTS = ['500', 'timeout', 'malformed', '429', '200_html'] as const

function opening(of: { stage: string; dueInHours: number }): Command {
  const act = async (life: Life) => {
    life.open(of)
    return life.poll()
  }
  return {
    ...command(`open in ${of.stage}, due in ${of.dueInHours} h`, false, act),
    check: ({ disputes }) => disputes < MOST_DISPUTES,
    run: async (model, life) => {
      model.disputes++
      await life.step(`open in ${of.stage}, due in ${of.dueInHours} h`, () => act(life))
    },
  }
}

function asking({ which, inline, file = 0 }: { which: number; inline: boolean; file?: number }, asked: Asked): Command {
  const accepting = asked.kind === 'acceptance'
  const words = accepting ? 'accept' : `submit file ${file} for`
  return command(`${words} ${which}${inline ? '' : ', the API dies'}`, true, async (life) => {
    const { world } = life
    const row = life.known(refOf(life, which))
    if (!row) return 'not known yet'
    const fileId = world.files[file] ?? ''
    const expected = expectedAnswer(row, life.view(), accepting ? asked : { ...asked, fileId })
    world.inline = inline
    const answer = accepting
      ? await world.call('POST', `/chargebacks/${row.id}/accept`)
      : await world.call('POST', `/chargebacks/${row.id}/evidence/submit`, { fileId })
    world.inline = true
    const told = [answer.status, answer.body.code].filter(Boolean).join(' ')
    if (told !== expected) throw new Disagreement(`the client was told ${told}, not ${expected}\n${life.story()}`)
    return told
  })
}

const fighting = ({ which, fight }: { which: number; fight: boolean }): Command =>
  command(`should-fight ${which} ${fight}`, true, async (life) => {
    const row = life.known(refOf(life, which))
    if (!row) return 'not known yet'
    const { status, body } = await life.world.call('PATCH', `/chargebacks/${row.id}/should-fight`, {
      shouldFight: fight,
    })
    if (status !== 201 && status !== 400) throw new Disagreement(`should-fight answered ${status}\n${life.story()}`)
    if (status === 201 && commandOfRound(row, life.view())) throw new Disagreement('should-fight beside a command')
    return [status, body.code].filter(Boolean).join(' ')
  })

const ruling = (stage: string | null): Command =>
  command(`rules ${stage ?? 'none'}`, false, async ({ world }) => {
    const rules = stage ? { lifecycleStages: [stage] } : {}
    return String((await world.call('PUT', `/integrations/${world.integrationId}/scope-settings`, rules)).status)
  })

/** Whatever is due, until nothing is. */
async function workThrough({ world }: Life): Promise<string> {
  const done: string[] = []
  for (let left = 40; left > 0; left--) {
    const [run] = world.worker.due(world.clock.now())
    if (!run) break
    done.push(await world.worker.work(run))
  }
  return done.join(', ') || 'nothing is due'
}

const struckWork = (strike: Strike): Command =>
  command(`work, ${strike.how} at ${strike.nth}`, false, async ({ world }) => {
    const [run] = world.worker.due(world.clock.now())
    return run ? world.worker.work(run, strike) : 'nothing is due'
  })

const faulting = (subject: Subject, { kind, times }: { kind: (typeof WRITE_FAULTS)[number]; times: number }): Command =>
  command(`${times} writes: ${kind}`, true, async ({ world }) => {
    const match = { method: subject.writeMethod ?? 'POST', path: subject.writePath }
    world.engine.faults.arm({ kind, left: times, match, retryAfter: '7', delayMs: 0 })
    return 'armed'
  })

const faultingReads = (kind: (typeof READ_FAULTS)[number]): Command =>
  command(`next read: ${kind}`, true, async ({ world }) => {
    world.engine.faults.arm({ kind, left: 1, match: { method: 'GET' }, retryAfter: '7', delayMs: 0 })
    return 'armed'
  })

const deciding = ({ which, outcome }: { which: number; outcome: 'won' | 'lost' | 'reopened' }): Command =>
  command(`PSP decides ${which} ${outcome}`, true, async (life) => {
    const { engine } = life.world
    const record = engine.find(refOf(life, which))
    if (!record) return 'gone'
    engine.settle()
    const refusal = engine.profile.decide(engine.read(record), outcome, engine.now())
    if (refusal !== null) return 'not possible'
    if (outcome === 'reopened') record.round += 1
    if (outcome === 'lost') life.memory.lostAtPsp.add(record.reference)
    engine.setPending(record, null)
    engine.change(record, (dispute) => void engine.profile.decide(dispute, outcome, engine.now()))
    return 'decided'
  })

const polling = (strike: Strike | null): Command =>
  command(strike ? `poll, dies at ${strike.nth}` : 'poll', false, (life) =>
    life.poll(strike && { ...strike, how: 'dies' }),
  )

const notifying = (which: number): Command =>
  command(`notification about ${which}`, true, async (life) => {
    const { engine, notificationUrl: url } = life.world
    const order = { url, account: engine.profile.homeAccount, ref: refOf(life, which), count: 1 }
    const sent = await sendNotifications(engine, order)
    if (life.world.temporal.pollAsked) await life.poll()
    return sent.map(({ status }) => status).join(' ')
  })

async function reconcile(life: Life): Promise<string> {
  const done: string[] = []
  const steps = ['drainOutbox', 'settleCommands', 'sweepDeadlines', 'reconcileScopeRuns'] as const
  for (const activity of steps) done.push(await life.attempt(activity))
  return done.join(' ')
}

const terminating = (which: number): Command =>
  command(`terminate run ${which}`, true, async ({ world }) => {
    const running = world.temporal.runs().filter(({ status }) => status === 'RUNNING')
    const run = running[which % Math.max(1, running.length)]
    if (!run) return 'none runs'
    Object.assign(run, { status: 'TERMINATED', step: null })
    return run.kind
  })

async function wiping({ world }: Life): Promise<string> {
  world.temporal.wipe()
  return 'done'
}

const reaching = (away: boolean): Command =>
  command(away ? 'temporal away' : 'temporal back', false, async ({ world }) => {
    world.temporal.away = away
    return 'done'
  })

const passing = (minutes: number): Command =>
  command(`${minutes} minutes pass`, false, async ({ world }) => {
    await world.clock.pass(minutes * MINUTE_MS)
    world.engine.settle()
    return 'done'
  })
