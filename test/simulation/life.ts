import { createHash } from 'node:crypto'
import type { Subject } from '../../adapters/conformance/subject.ts'
import { createDisputes } from '../../simulators/engine/create.ts'
import type { Activities } from '../../workflows/activities/index.ts'
import { compare, type Memory, newMemory } from './invariants.ts'
import { type ChargebackRow, look, summary, truthOf, type View } from './view.ts'
import type { FaultName } from './worker.ts'
import type { Simulation, World } from './world.ts'

/** A step of a life and the model disagree. */
export class Disagreement extends Error {
  override name = 'Disagreement'
}

export type Life = Awaited<ReturnType<typeof startLife>>

/** A world next to its model. Every step is traced and compared with the model. */
export async function startLife(simulation: Simulation, subject: Subject, seed: string) {
  const world = await simulation.begin(subject, seed)
  const memory = newMemory()
  const refs: string[] = []
  const trace: string[] = []
  let view: View = await look(world)
  watch(world, memory)

  async function attempt(activity: keyof Activities, input?: object, strike: FaultName | null = null): Promise<string> {
    try {
      const result = await world.worker.alone(activity, input, strike)
      return typeof result === 'object' ? 'done' : String(result)
    } catch (error) {
      return (error as Error).name
    }
  }

  const life = {
    world,
    memory,
    refs,
    trace,
    view: () => ({ ...view, at: world.clock.now() }),
    known: (ref: string): ChargebackRow | undefined => view.chargebacks.find((row) => row.ref === ref),
    attempt,

    /** Runs the step a second later, and compares the result with the model. @throws Disagreement */
    async step(name: string, act: () => Promise<string>): Promise<void> {
      await world.clock.pass(1_000)
      await life.mailArrives()
      const outcome = await act()
      await life.compare(`${name}: ${outcome}`)
    },

    async compare(line: string): Promise<void> {
      view = await look(world)
      trace.push(`${line} | ${summary(view)}`)
      const broken = compare(view, memory)
      if (broken.length > 0) throw new Disagreement(`${broken.join('\n')}\n${life.story()}`)
    },

    open({ stage, dueInHours }: { stage: string; dueInHours: number }): string {
      const order = { count: 1, account: world.engine.profile.homeAccount, status: 'needs_response', stage, dueInHours }
      const [record] = createDisputes(world.engine, order)
      if (!record) throw new Error('no dispute was made')
      refs.push(record.reference)
      memory.truths.set(record.reference, {
        history: world.mail ? [] : [truthOf(world, record.reference)],
        followed: 0,
      })
      return record.reference
    },

    /** Delivers what the PSP sent, unless its notifications are late. */
    async mailArrives(): Promise<void> {
      if (world.mail && world.mail.pace !== 'late') await world.mail.arrive('as sent')
    },

    /** A poll as its schedule starts it, and the enrichment after it. */
    async poll(strike: FaultName | null = null): Promise<string> {
      await life.mailArrives()
      world.temporal.pollAsked = false
      const polled = await attempt('ingestPages', { integrationId: world.integrationId }, strike)
      const enriched = await attempt('enrichChargebacks', { integrationId: world.integrationId })
      return `${polled}, ${enriched}`
    },

    /** Of the trace, which has no ids: two lives of one seed have the same hash. */
    hash: () => createHash('sha256').update(trace.join('\n')).digest('hex'),
    story: () => trace.map((line, index) => `${String(index + 1).padStart(3)} ${line}`).join('\n'),
  }
  return life
}

/**
 * Adds each state of a dispute at the PSP to the model's memory; of a PSP that can't be read, what it notifies about.
 */
function watch(world: World, memory: Memory): void {
  const { engine, mail } = world
  const remember = (reference: string, truth: string) => {
    const known = memory.truths.get(reference)
    if (known && known.history.at(-1) !== truth) known.history.push(truth)
  }
  if (mail) {
    mail.tell = remember
    return
  }
  const { change } = engine
  engine.change = (record, mutate, at) => {
    change(record, mutate, at)
    remember(record.reference, truthOf(world, record.reference))
  }
}
