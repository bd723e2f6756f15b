import {
  type OperatedIntegration,
  operatedIntegrations,
  requestPoll,
  setGoLive,
  setPaused,
} from '../db/integration-operations.ts'
import { Refusal } from '../db/refusal.ts'
import { type Command, type CommandContext, readDate, required } from './command.ts'

async function show(context: CommandContext): Promise<OperatedIntegration> {
  const integrationId = required(context, 'integrationId')
  const [found] = await operatedIntegrations(context.db, { integrationId })
  if (!found) throw new Refusal('missing', 'integration_not_found', `There is no integration ${integrationId}.`)
  return found
}

const brief = ({ integrationId, merchantUuid, source, integrationName, status, ...rest }: OperatedIntegration) => ({
  integrationId,
  merchantUuid,
  source,
  integrationName,
  status,
  paused: rest.paused,
  chargebacks: rest.chargebacks,
  quarantined: rest.quarantined,
  lastSuccessfulPollAt: rest.lastSuccessfulPollAt,
  problem: rest.pollError ?? rest.statusReason,
})

function pausing(paused: boolean): Command['run'] {
  return async (context) => {
    const integrationId = required(context, 'integrationId')
    await setPaused(context.db, integrationId, paused)
    return { integrationId, paused }
  }
}

export const integration: Record<string, Command> = {
  list: {
    summary: 'integrations, newest first',
    options: { 'merchant?': 'of this merchantUuid only' },
    run: async ({ db, given }) => (await operatedIntegrations(db, { merchantUuid: given.merchant })).map(brief),
  },
  show: { summary: 'one integration, with how its polls fare', argument: 'integrationId', run: show },
  'go-live': {
    summary: 'handle its chargebacks: all of them, or those posted from a date on',
    argument: 'integrationId',
    options: { 'date?': 'date-time; without it history is handled too' },
    async run(context) {
      const goLiveDate = readDate(context, 'date') ?? null
      await setGoLive(context.db, required(context, 'integrationId'), goLiveDate)
      return { integrationId: context.given.integrationId, goLiveDate }
    },
  },
  poll: {
    summary: 'poll it now; one that is not verified is checked again',
    argument: 'integrationId',
    async run(context) {
      const integrationId = required(context, 'integrationId')
      return { integrationId, asked: await requestPoll(context.db, integrationId) }
    },
  },
  pause: { summary: 'stop polling it', argument: 'integrationId', run: pausing(true) },
  resume: { summary: 'poll it again', argument: 'integrationId', run: pausing(false) },
}
