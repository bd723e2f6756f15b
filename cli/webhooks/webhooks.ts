import { replayEvents } from '../../db/webhooks/deliveries.ts'
import { disableEndpoint } from '../../db/webhooks/endpoint-changes.ts'
import { endpointTrail, operatedEndpoint, operatedEndpoints } from '../../db/webhooks/operated-endpoints.ts'
import { ENDPOINT_STATES } from '../../domain/webhooks/endpoint.ts'
import { act } from '../acting.ts'
import { type Command, oneOf, readDate, required, UsageError } from '../command.ts'

export const webhook: Record<string, Command> = {
  list: {
    summary: 'list webhook endpoints, without paths and secrets',
    options: { 'account?': 'only this account', 'state?': ENDPOINT_STATES.join(' | ') },
    list: { endpointId: 'endpointId', host: 'host', state: 'state', pending: 'pending', 'last failure': 'lastFailure' },
    run: (context) =>
      operatedEndpoints(context.db, {
        accountId: context.given.account ?? null,
        state: context.given.state === undefined ? null : oneOf(context, 'state', ENDPOINT_STATES),
      }),
  },
  show: {
    summary: 'show a webhook endpoint, and who changed what',
    argument: 'endpointId',
    async run({ db, given: { endpointId = '' } }) {
      return { ...(await operatedEndpoint(db, endpointId)), changes: await endpointTrail(db, endpointId) }
    },
  },
  disable: {
    summary: 'stop sending to a webhook endpoint; its merchant can enable it again',
    argument: 'endpointId',
    changes: { reason: 'required' },
    async run(context) {
      const endpointId = required(context, 'endpointId')
      await operatedEndpoint(context.db, endpointId)
      const actor = `operator ${context.operator()}`
      const isDisabled = await act(
        context,
        (trx) => disableEndpoint(trx, { endpointId, actor, reason: 'requested' }),
        (done) => ({ subject: endpointId, details: { disabledNow: done } }),
      )
      return { endpointId, state: 'disabled', disabledNow: isDisabled }
    },
  },
  replay: {
    summary: 'send events of the last 30 days to a webhook endpoint again',
    argument: 'endpointId',
    options: {
      'since?': 'all events from this date-time on',
      'failed-since?': 'only those that failed or were cancelled',
    },
    changes: { reason: 'required' },
    async run(context) {
      const endpointId = required(context, 'endpointId')
      const [since, failedSince] = [readDate(context, 'since'), readDate(context, 'failed-since')]
      if ((since === undefined) === (failedSince === undefined))
        throw new UsageError('give either --since or --failed-since')
      const { accountId, merchantUuid } = await operatedEndpoint(context.db, endpointId)
      const actor = `operator ${context.operator()}`
      const count = await act(
        context,
        (trx) => replayEvents(trx, { endpointId, accountId, merchantUuid }, { since, failedSince, actor }),
        (done) => ({ subject: endpointId, details: { since, failedSince, count: done } }),
      )
      return { endpointId, count }
    },
  },
}
