import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../db/core/connect.ts'
import { Refusal } from '../db/core/refusal.ts'
import {
  type OperatedIntegration,
  operatedIntegrations,
  requestPoll,
  setGoLive,
  setPaused,
} from '../db/integrations/integration-operations.ts'
import { type DriftReport, readDrift, requestDriftReport } from '../db/polling/drift.ts'
import { type QuarantinedRow, quarantined } from '../db/polling/quarantine.ts'
import { requestReread } from '../db/polling/rereads.ts'
import { pollScheduleId } from '../workflows/contract.ts'
import { act, record } from './acting.ts'
import { type Command, type CommandContext, readDate, required, UsageError } from './command.ts'
import { duplicates } from './duplicates.ts'
import { rotateIntegration } from './rotation.ts'

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
  stale: rest.stale,
  lastSuccessfulPollAt: rest.lastSuccessfulPollAt,
  problem: rest.problem,
})

const pausing = (verb: 'pause' | 'resume'): Command => ({
  summary:
    verb === 'pause' ? 'stop polling an integration; operator and reason are shown' : 'poll an integration again',
  argument: 'integrationId',
  changes: { reason: verb === 'pause' ? 'required' : 'optional', readBy: 'the merchant can read it' },
  async run(context) {
    const integrationId = required(context, 'integrationId')
    const pause = { paused: verb === 'pause', by: context.operator(), reason: context.reason }
    await act(context, (trx) => setPaused(trx, integrationId, pause), { subject: integrationId })
    return { integrationId, ...pause }
  },
})

const LONGEST_WAIT_SECONDS = 3_600

/** Asks a worker, which has the key and the PSP's rate limit, and waits for its report. @throws Refusal without one */
async function compare(context: CommandContext): Promise<DriftReport & { integrationId: string }> {
  const integrationId = required(context, 'integrationId')
  const seconds = Number(context.given.wait ?? 120)
  if (!(seconds >= 1 && seconds <= LONGEST_WAIT_SECONDS))
    throw new UsageError(`--wait must be 1 to ${LONGEST_WAIT_SECONDS} seconds`)
  await act(context, (trx) => requestDriftReport(trx, integrationId), { subject: integrationId })
  for (const end = Date.now() + seconds * 1000; Date.now() < end; await sleep(200)) {
    const stored = await readDrift(context.db, integrationId)
    if (!stored?.completedAt) continue
    if (stored.error !== null || !stored.report)
      throw new Refusal('invalid', 'drift_unknown', `There is no drift report: ${stored.error ?? 'it was lost'}.`)
    const { source, comparedAt, atPsp, here, missingHere, missingAtPsp, differing, ...rest } = stored.report
    return { integrationId, source, comparedAt, atPsp, here, missingHere, missingAtPsp, differing, ...rest }
  }
  throw new Refusal(
    'invalid',
    'drift_pending',
    `No worker completed the comparison within ${seconds} s. It continues: look at drift:${integrationId} in the ` +
      'Temporal UI, or run the command again with a longer --wait.',
  )
}

async function quarantinedOf(context: CommandContext): Promise<QuarantinedRow[]> {
  const { integrationId } = await show(context)
  return quarantined(context.db, integrationId)
}

/** Objects without an id can't be requested: only the PSP's list can bring them again. */
async function readQuarantinedAgain(context: CommandContext): Promise<object> {
  const objects = await quarantinedOf(context)
  const references = [...new Set(objects.flatMap(({ reference }) => reference ?? []))]
  const integrationId = required(context, 'integrationId')
  const disputes = references.length
  const ask = async (trx: Database) => {
    await requestReread(trx, integrationId, references)
    return requestPoll(trx, integrationId)
  }
  return { integrationId, disputes, asked: await act(context, ask, { subject: integrationId, details: { disputes } }) }
}

export const integration: Record<string, Command> = {
  duplicates,
  list: {
    summary: 'list integrations, newest first',
    options: { 'merchant?': 'only this merchantUuid' },
    list: {
      ...{ integrationId: 'integrationId', psp: 'source', status: 'status', 'last poll': 'lastSuccessfulPollAt' },
      ...{ problem: 'problem', name: 'integrationName', chargebacks: 'chargebacks', quarantined: 'quarantined' },
    },
    run: async ({ db, given }) => (await operatedIntegrations(db, { merchantUuid: given.merchant })).map(brief),
  },
  show: {
    summary: 'show an integration and the state of its polls',
    argument: 'integrationId',
    async run(context) {
      const { pollWorkflow, ...found } = await show(context)
      const { nextPollAt, verifiedAt, integrationId } = found
      const schedule = nextPollAt === null && verifiedAt !== null ? `schedule ${pollScheduleId(integrationId)}` : null
      return { ...found, polledBy: schedule ?? pollWorkflow }
    },
  },
  'go-live': {
    summary: 'handle the chargebacks of an integration: all, or those posted from a date on',
    argument: 'integrationId',
    options: { 'date?': 'date-time; all chargebacks by default, history included' },
    changes: { reason: 'optional' },
    async run(context) {
      const goLiveDate = readDate(context, 'date') ?? null
      const integrationId = required(context, 'integrationId')
      const about = { subject: integrationId, details: { goLiveDate } }
      await setGoLive(context.db, integrationId, goLiveDate, (trx) => record(context, trx, about))
      return { integrationId, goLiveDate }
    },
  },
  poll: {
    summary: 'poll an integration now; one that is not verified is checked again',
    argument: 'integrationId',
    changes: { reason: 'optional' },
    async run(context) {
      const integrationId = required(context, 'integrationId')
      const asked = await act(context, (trx) => requestPoll(trx, integrationId), { subject: integrationId })
      return { integrationId, asked }
    },
  },
  drift: {
    summary: 'list the disputes that only the PSP has, and those that only Recoup has',
    argument: 'integrationId',
    options: { 'wait?': 'seconds to wait for the report; 120 by default' },
    changes: { reason: 'optional' },
    run: compare,
  },
  quarantine: {
    summary: 'list disputes that could not be read, with the reason',
    argument: 'integrationId',
    list: 'all',
    flags: { retry: 'ask the PSP for them again' },
    changes: { reason: 'optional' },
    run: (context) => (context.flag('retry') ? readQuarantinedAgain(context) : quarantinedOf(context)),
  },
  pause: pausing('pause'),
  resume: pausing('resume'),
  rotate: rotateIntegration,
}
