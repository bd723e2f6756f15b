import { expect, test } from 'vitest'
import { actionCounts, countActions } from '../../../bench/ours/actions.ts'
import { readGates } from '../../../bench/runner/gates.ts'

test('counts each attempt of an activity, each timer, and a child workflow twice, but no workflow tasks', () => {
  const started = { eventType: 'EVENT_TYPE_ACTIVITY_TASK_STARTED', activityTaskStartedEventAttributes: { attempt: 3 } }
  const events = [
    'EVENT_TYPE_WORKFLOW_EXECUTION_STARTED',
    'EVENT_TYPE_WORKFLOW_TASK_COMPLETED',
    'EVENT_TYPE_TIMER_STARTED',
    'EVENT_TYPE_START_CHILD_WORKFLOW_EXECUTION_INITIATED',
  ].map((eventType) => ({ eventType }))
  expect(countActions([...events, started])).toBe(1 + 1 + 2 + 3)
})

test.each(Object.entries(actionCounts()))('actions of a %s are no more than their ceiling: %d', (figure, value) => {
  const row = readGates().find(({ metric }) => metric === `actions.${figure}`)
  expect(value).toBeLessThanOrEqual(row?.ceiling ?? Number.NaN)
})
