import { expect, test } from 'vitest'
import { faultOfDataPoint } from '../../../domain/data-points.ts'
import { composeEvidence } from '../../../domain/evidence/compose.ts'
import { TRANSACTION_FIELDS } from '../../../domain/transaction-record.ts'
import { EXAMPLE, evidenceGuide } from '../../../scripts/evidence-guide.ts'
import { CHARGEBACK, client, input } from '../domain/evidence/evidence-input.ts'

test('every data point of the guide can be sent by the operation that it names', () => {
  const names = [...evidenceGuide().matchAll(/^\| `(\w+)` \|/gm)].map(([, name = '']) => name)
  expect(names.length).toBeGreaterThan(50)
  expect(new Set(names).size).toBe(names.length)
  for (const name of names)
    expect(TRANSACTION_FIELDS.some((field) => field === name) || faultOfDataPoint(name, 'x') === null, name).toBe(true)
})

test('every name in a table of the guide is one of its data points', () => {
  const [plays = '', points = ''] = evidenceGuide().split('## All data points')
  for (const [, name] of plays.matchAll(/[|;] (?:[^|]* or )?`(\w+)`/g)) expect(points).toContain(`| \`${name}\` |`)
})

test('its example has everything that is required', () => {
  const { requiredMissing, warnings, statements } = composeEvidence(
    input({ sources: [client(EXAMPLE), CHARGEBACK], exhibits: [] }),
  )
  expect({ requiredMissing, warnings }).toEqual({ requiredMissing: [], warnings: [] })
  expect(statements.filter(({ kept }) => kept).map(({ id }) => id)).toEqual([
    'delivered',
    'shipped',
    'ordered',
    'payment',
  ])
})
