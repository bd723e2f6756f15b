import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { guardFailures } from '../../../../workflows/worker/guard.ts'
import { until } from '../../../harness/until.ts'
import { type Fixture, openFixture, subjectOf } from './submission-fixture.ts'

// Adyen shows an effect only by a notification. Until it arrives the command is retried, which is not a failure.
describe('a notification of Adyen that has not arrived', () => {
  let fixture: Fixture
  const lines: string[] = []
  const log = {
    info: (fields: object, text: string) => void lines.push(`info: ${text} ${JSON.stringify(fields)}`),
    warn: (_: object, text: string) => void lines.push(`warn: ${text}`),
  }
  beforeAll(async () => {
    fixture = await openFixture(subjectOf('adyen'), { counted: (_, result) => void counted.push(result) })
  })
  afterAll(() => fixture[Symbol.asyncDispose]())
  const counted: string[] = []

  /** One attempt of the activity, through the worker's interceptor. @returns its failure, or null */
  async function attempt(acceptanceId: string, number: number): Promise<ApplicationFailure | null> {
    const { inbound } = guardFailures(log)({ info: { activityType: 'acceptAtPsp', attempt: number } } as never)
    const next = () => fixture.run(fixture.activities.acceptAtPsp, { acceptanceId })
    try {
      await inbound?.execute?.({ args: [], headers: {} }, next)
      return null
    } catch (error) {
      return error as ApplicationFailure
    }
  }

  test('is awaited: retried, logged as info, not counted as a failure; then the command succeeds once', async () => {
    const { id, ref } = await fixture.open()
    const { subscriptions } = await fixture.control('GET', '/subscriptions')
    const [{ id: subscription, url }] = subscriptions
    await fixture.control('DELETE', `/subscriptions/${subscription}`)
    await fixture.stage.call('POST', `/v1/chargebacks/${id}/accept`)
    const { command_id } = await fixture.stage.db.selectFrom('command').select('command_id').executeTakeFirstOrThrow()
    counted.length = 0
    for (const number of [1, 2]) {
      const failure = await attempt(command_id, number)
      expect(failure).toBeInstanceOf(ApplicationFailure)
      expect(failure).toMatchObject({ type: 'outcome_unknown', nonRetryable: false })
      expect(failure?.category).toBe(ApplicationFailureCategory.BENIGN)
      expect(failure?.message).toMatch(/took it and reports the effect later/)
    }
    expect(lines).toEqual([1, 2].map((number) => expect.stringMatching(`^info: activity waits .*"attempt":${number}`)))
    expect(new Set(counted)).toEqual(new Set(['200']))
    await fixture.control('POST', '/subscriptions', { url, backlog: true })
    await until('the notification came', async () => (await attempt(command_id, 3)) === null)
    expect(await fixture.effects(ref, 'acceptance')).toHaveLength(1)
    expect(lines.filter((line) => line.startsWith('warn'))).toEqual([])
  })
})
