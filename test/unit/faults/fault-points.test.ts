import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ambiguousCells } from '../../faults/ambiguous.ts'
import { crashCells } from '../../faults/cells.ts'
import { openDeadlines } from '../../faults/deadlines/deadlines.ts'
import { ingestionCells } from '../../faults/ingestion/ingestion.ts'
import { rotationCells } from '../../faults/integrations/rotation.ts'
import { FAULT_POINTS } from '../../harness/fault-points/points.ts'

const suites = {
  crash: crashCells({}).cells,
  ambiguous: ambiguousCells({}).groups.flat(),
  deadlines: openDeadlines({}).cells,
  ingestion: ingestionCells({}).groups.flat(),
  rotation: rotationCells({}).flat(),
}
const pointsOf = (suite: keyof typeof suites) =>
  suites[suite].flatMap(({ step: { hold } }) => (hold.at === 'point' ? hold.point : []))

describe('fault points', () => {
  test.each(Object.keys(suites) as (keyof typeof suites)[])(
    'every step of the suite %s names one that exists',
    (suite) => {
      const points = pointsOf(suite)
      expect(points.length).toBeGreaterThan(0)
      expect(FAULT_POINTS).toEqual(expect.arrayContaining(points))
    },
  )

  test('a suite strikes at each of them; what scope rules change is struck by its own test', () => {
    const struck = new Set((Object.keys(suites) as (keyof typeof suites)[]).flatMap(pointsOf))
    expect(FAULT_POINTS.filter((point) => !struck.has(point))).toEqual(['scope.before_slice'])
  })

  test('no product code names one, nor a variable that sets one', () => {
    const product = ['adapters', 'api', 'cli', 'db', 'domain', 'files', 'process', 'workflows']
    const files = product.flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((path) => /\.m?ts$/.test(path))
        .map((path) => join(folder, path)),
    )
    const names = ['CRASH_AT', 'HOLD_AT', 'fault-points', ...FAULT_POINTS]
    const naming = files.filter((file) => {
      const text = readFileSync(file, 'utf8')
      return names.some((name) => text.includes(name))
    })
    expect(files.length).toBeGreaterThan(300)
    expect(naming).toEqual([])
  })
})
