import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ambiguousCells } from '../../faults/ambiguous.ts'
import { crashCells } from '../../faults/cells.ts'
import { openDeadlines } from '../../faults/deadlines/deadlines.ts'
import { ingestionCells } from '../../faults/ingestion/ingestion.ts'
import { rotationCells } from '../../faults/integrations/rotation.ts'
import { packageCells } from '../../faults/packages/package-cells.ts'
import { faultPointFaults } from '../../harness/fault-points/check.ts'
import { FAULT_POINTS } from '../../harness/fault-points/points.ts'

const suites = {
  crash: crashCells({}).cells,
  ambiguous: ambiguousCells({}).groups.flat(),
  deadlines: openDeadlines({}).cells,
  ingestion: ingestionCells({}).groups.flat(),
  packages: packageCells({}).groups.flat(),
  rotation: rotationCells({}).flat(),
}
const pointsOf = (suite: keyof typeof suites) =>
  suites[suite].flatMap(({ step: { hold } }) => (hold.at === 'point' ? hold.point : []))

const ALL = Object.fromEntries(
  (Object.keys(suites) as (keyof typeof suites)[]).map((suite) => [suite, pointsOf(suite)]),
)
const PRODUCT = ['adapters', 'api', 'cli', 'db', 'domain', 'files', 'process', 'workflows']

describe('fault points', () => {
  test('exist if a suite names them, are each used by a suite, and are not in product code', () => {
    const files = PRODUCT.flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((path) => /\.m?ts$/.test(path))
        .map((path) => join(folder, path)),
    )
    expect(files.length).toBeGreaterThan(300)
    const product = Object.fromEntries(files.map((file) => [file, readFileSync(file, 'utf8')]))
    expect(faultPointFaults({ suites: ALL, product })).toEqual([])
  })

  const [point = ''] = pointsOf('crash')
  test.each([
    [
      'a step that names one that does not exist',
      { ...ALL, crash: [...pointsOf('crash'), 'gone'] },
      {},
      'crash: no gone exists',
    ],
    ['a suite that uses none', { ...ALL, rotation: [] }, {}, 'rotation uses no fault point'],
    [
      'one that no suite uses',
      { crash: [point] },
      {},
      `no suite strikes at ${FAULT_POINTS.find((one) => one !== point)}`,
    ],
    ['product code that names one', ALL, { 'api/main.ts': `reached('${point}')` }, `api/main.ts names ${point}`],
    [
      'product code that reads a variable for one',
      ALL,
      { 'api/main.ts': 'env.CRASH_AT' },
      'api/main.ts names CRASH_AT',
    ],
  ])('fail the check: %s', (_, used, product, fault) => {
    expect(faultPointFaults({ suites: used, product })).toContain(fault)
  })

  test('are not in the public documentation', () => {
    const pages = ['docs/environment.md', 'docs/operating.md', 'README.md', 'docker-compose.yml']
    for (const page of pages) expect(readFileSync(page, 'utf8')).not.toMatch(/CRASH_AT|HOLD_AT|fault-points/)
  })
})
