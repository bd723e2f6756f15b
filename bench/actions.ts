import { actionCounts } from './ours/actions.ts'
import type { Benchmark } from './runner/context.ts'

export const actions: Benchmark = {
  name: 'actions',
  about: 'Temporal actions of a poll, an acceptance and an evidence submission, by the events of recorded runs',
  async run(context) {
    for (const [figure, value] of Object.entries(actionCounts()))
      context.metric({
        ...{ name: `actions.${figure}`, unit: 'actions', clock: 'count', ours: [value], anchor: null },
      })
    context.skip('actions.dispatch', ['P10'], 'polls of a shard under load are not counted yet')
  },
}
