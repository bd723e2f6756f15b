import { type Client, ScheduleAlreadyRunning } from '@temporalio/client'
import { describe, expect, test } from 'vitest'
import type { ScheduledIntegration } from '../../../db/integrations/connections.ts'
import { type Polling, syncPollSchedule, triggerPoll } from '../../../workflows/starters/schedules.ts'

interface State {
  paused: boolean
  note?: string
}

/** Temporal with one schedule. */
function temporalWith(state: State) {
  const found = { state, triggered: 0 }
  const handle = {
    describe: async () => ({ state: found.state, info: { createdAt: new Date(0), recentActions: [] } }),
    trigger: async () => void found.triggered++,
    async update(change: (previous: { state: State; info: { recentActions: [] } }) => { state: State }) {
      found.state = change({ state: found.state, info: { recentActions: [] } }).state
    },
  }
  const create = () => Promise.reject(new ScheduleAlreadyRunning('it is there', 'poll:i'))
  return { found, client: { schedule: { create, getHandle: () => handle } } as unknown as Client }
}

const INTEGRATION: ScheduledIntegration = {
  ...{ integrationId: '0198c5a4-1111-7d60-9a55-2f4b1f6f7d10', merchantUuid: 'm', source: 'stripe', paused: false },
  ...{ status: 'SUCCESSFUL', deactivationDate: null, pauseChangedBy: null, pauseReason: null },
  ...{ dispatched: false, polledAt: null },
}
const polling = { intervalSeconds: 60, pace: {} } as Polling

describe('a schedule that is synchronized with its row', () => {
  test.each([
    ['by Recoup ends', 'paused by an operator', false],
    ['by Recoup with a name and a reason ends', 'paused by an operator (alice): the bank moves', false],
    ['after a refused credential ends', 'the PSP refused the credential', false],
    ['by an operator in the UI stays, with its note', 'looking into it', true],
  ])('a pause %s', async (_, note, stays) => {
    const { client, found } = temporalWith({ paused: true, note })
    await syncPollSchedule(client, INTEGRATION, polling)
    expect(found.state).toMatchObject({ paused: stays, note: stays ? note : '' })
    // It has never polled, so its creator did not get to trigger it.
    expect(found.triggered).toBe(stays ? 0 : 1)
  })

  test('is paused as its row says', async () => {
    const { client, found } = temporalWith({ paused: false })
    await syncPollSchedule(client, { ...INTEGRATION, paused: true }, polling)
    expect(found.state).toMatchObject({ paused: true, note: 'paused by an operator' })
    const pause = { paused: true, pauseChangedBy: 'alice', pauseReason: 'The bank moves.' }
    await syncPollSchedule(client, { ...INTEGRATION, ...pause }, polling)
    expect(found.state).toMatchObject({ paused: true, note: 'paused by an operator (alice): The bank moves.' })
    await syncPollSchedule(client, { ...INTEGRATION, ...pause, paused: false }, polling)
    expect(found.state).toMatchObject({ paused: false, note: '' })
  })
})

describe('a paused schedule', () => {
  test('polls once on request, but not if the request is for unpaused schedules only', async () => {
    const { client, found } = temporalWith({ paused: true })
    expect(await triggerPoll(client, 'i', new Date(), { unpaused: true })).toBe(false)
    expect(found.triggered).toBe(0)
    expect(await triggerPoll(client, 'i')).toBe(true)
    expect(found.triggered).toBe(1)
  })
})
