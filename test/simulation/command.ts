import type fc from 'fast-check'
import type { Life } from './life.ts'

/** State of the generator, which decides which commands make sense. */
export interface Model {
  disputes: number
  /** Workflow runs in progress. */
  running: number
  /** Frozen attempts. */
  frozen: number
  /** Temporal is unavailable. */
  away: boolean
}

export type Command = fc.AsyncCommand<Model, Life>

export const newModel = (): Model => ({ disputes: 0, running: 0, frozen: 0, away: false })

/** One event of a life. `act` returns its outcome in words, without ids and times. */
export function command(
  name: string,
  makesSense: (model: Readonly<Model>) => boolean,
  act: (life: Life) => Promise<string>,
): Command {
  return {
    check: makesSense,
    toString: () => name,
    async run(model, life) {
      await life.step(name, () => act(life))
      const { temporal, worker } = life.world
      model.disputes = life.refs.length
      model.running = temporal.runs().filter(({ status }) => status === 'RUNNING').length
      model.frozen = worker.frozen()
      model.away = temporal.away
    },
  }
}

export const always = () => true
export const withDispute = ({ disputes }: Model) => disputes > 0
export const withRun = ({ running }: Model) => running > 0

/** The PSP's reference of a dispute by its number. */
export const refOf = ({ refs }: Life, which: number) => refs[which % refs.length] ?? ''
