import { expect, test } from 'vitest'
import { faultOfDataPoint } from '../../../domain/data-points.ts'
import { composeEvidence } from '../../../domain/evidence/compose.ts'
import { FACTS } from '../../../domain/evidence/fact-catalogue.ts'
import { fileAbout } from '../../../domain/evidence/file-metadata.ts'
import { playbookOf } from '../../../domain/evidence/playbooks/index.ts'
import { PLAY_IDS } from '../../../domain/evidence/playbooks/playbook.ts'
import { TRANSACTION_FIELDS } from '../../../domain/transaction-record.ts'
import { evidenceGuide } from '../../../scripts/evidence-guide.ts'
import { LIST_EXAMPLES, UPLOAD_EXAMPLE } from '../../../scripts/evidence-guide-data.ts'
import { EXAMPLES } from '../../../scripts/evidence-guide-examples.ts'
import { CHARGEBACK, CLAIMS, client, input } from '../domain/evidence/evidence-input.ts'

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

test.each(PLAY_IDS)('its example for %s has everything that is required, and nothing that is not said', (play) => {
  const example = EXAMPLES[play]
  if (!example) return expect(playbookOf(play).manualOnly).toBe(true)
  const { points, files } = example
  for (const [name, value] of Object.entries(points)) expect(faultOfDataPoint(name, value), name).toBeNull()
  const sources = [client(points), CHARGEBACK]
  const one = composeEvidence(input({ claim: CLAIMS[play], sources, exhibits: files }))
  expect({ missing: one.requiredMissing, warnings: one.warnings }).toEqual({ missing: [], warnings: [] })
  const kept = one.statements.filter((statement) => statement.kept)
  const names = kept.flatMap(({ facts }) => facts).flatMap((fact) => FACTS[fact].names ?? FACTS[fact].from ?? [])
  for (const name of Object.keys(points)) expect(names, name).toContain(name)
  for (const kind of files) expect(kept.flatMap(({ exhibits }) => exhibits)).toContain(kind)
})

test('its lists are read without a fault, and its upload joins a chargeback', () => {
  for (const [name, value] of Object.entries(LIST_EXAMPLES)) expect(faultOfDataPoint(name, value)).toBeNull()
  const { warnings, statements } = composeEvidence(
    input({ sources: [client({ ...LIST_EXAMPLES, transactionOrderEmail: 'x@example.com' }), CHARGEBACK] }),
  )
  expect(warnings).toEqual([])
  expect(statements.flatMap(({ id, text }) => (id === 'message' || id === 'ordered' ? text : []))).toEqual([
    'The order was for: 2 × Blue running shoes, size 42.',
    'Message of 7 March 2026: The customer has the shoes and is satisfied.',
  ])
  expect(fileAbout(JSON.stringify(UPLOAD_EXAMPLE))).toMatchObject({
    kind: 'delivery',
    chargeback: UPLOAD_EXAMPLE.chargebackId,
  })
})
