import { sequencerLag } from '../../../db/events/fresh-rows.ts'
import { recordPoll } from '../../../db/integrations/connections.ts'
import { takeLease } from '../../../db/polling/lease.ts'
import { sequence } from '../../../webhooks/sequence.ts'
import { until } from '../../harness/until.ts'
import { addIntegration, type Place } from '../api/chargebacks/chargeback-rows.ts'
import { createStage } from '../api/stage.ts'

/** An event as a client reads it. */
export interface Read {
  type: string
  sequence: string
  quiet?: boolean
  // biome-ignore lint/suspicious/noExplicitAny: the tests check it
  data: any
}

/** A stage whose merchant has an integration after its first load, and the sequencer at the test's hand. */
export async function openEvents(...options: Parameters<typeof createStage>) {
  const stage = await createStage(...options)
  const { db, ring, merchantUuid } = stage
  const newIntegration = () => addIntegration(db, ring, merchantUuid)

  async function firstLoad(integrationId: string): Promise<void> {
    const lease = await takeLease(db, integrationId, 'test')
    if (lease === null) throw new Error('there is no lease')
    await recordPoll(db, lease, { ok: true })
  }
  const at: Place = { merchantUuid, integrationId: await newIntegration() }
  await firstLoad(at.integrationId)

  /** Everything that waits for a position gets one. */
  const settle = () =>
    until('nothing waits for a position', async () => {
      await sequence(db)
      const lines = await db.selectFrom('event_line').select('event_line_id').execute()
      return lines.length === 0 && (await sequencerLag(db)) === 0
    })
  return {
    stage,
    at,
    newIntegration,
    firstLoad,
    settle,
    /** Writes a timeline row in a transaction of its own. */
    note: (
      chargebackId: string,
      what: string,
      after: object | null = null,
      before: object | null = null,
      place: Place = at,
    ) =>
      db
        .insertInto('timeline_event')
        .values({
          ...{ merchant_uuid: place.merchantUuid, chargeback_id: chargebackId, source: 'stripe', what },
          ...{ before: before && JSON.stringify(before), after: after && JSON.stringify(after) },
        })
        .execute(),
    /** Requests an acceptance. @returns its id */
    async accept(chargebackId: string): Promise<string> {
      await stage.call('POST', `/v1/chargebacks/${chargebackId}/accept`)
      const command = db.selectFrom('command').select('command_id').where('chargeback_id', '=', chargebackId)
      return (await command.executeTakeFirstOrThrow()).command_id
    },
    /** The log from a cursor on, once everything has a position. */
    async read(after: string): Promise<Read[]> {
      await settle()
      return (await stage.call('GET', `/v1/events?limit=100&after=${after}`)).body.data
    },
    /** The cursor behind everything so far. */
    async latest(types = ''): Promise<string> {
      await settle()
      const { body } = await stage.call('GET', `/v1/events?after=latest${types && `&types=${types}`}`)
      return body.nextCursor
    },
    [Symbol.asyncDispose]: () => stage[Symbol.asyncDispose](),
  }
}

export type Events = Awaited<ReturnType<typeof openEvents>>
