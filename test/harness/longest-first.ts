import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Takes longer than all other unit tests that are left when the integration tests end. */
const FIRST = 'test/unit/adapters/conformance.test.ts'
/** Files that take long for their size: begun last they would leave the other cores with nothing to do. */
const LONG = [
  'test/integration/workflows/commands/submission.test.ts',
  'test/integration/workflows/deactivation.test.ts',
  'test/integration/workflows/reconcile.test.ts',
  'test/integration/workflows/polling/polling.test.ts',
  'test/integration/workflows/commands/acceptance.test.ts',
  'test/integration/rotation/running-work.test.ts',
  'test/integration/api/http/process.test.ts',
]

/**
 * vitest's own order, but FIRST, then integration, then unit, each with its LONG files first: the many short unit tests
 * keep all cores busy until the end, and a worker changes from one project to the other once.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const rank = ({ moduleId, project }: TestSpecification) => {
      if (moduleId.endsWith(FIRST)) return 0
      return (project.name === 'unit' ? 3 : 1) + (LONG.some((name) => moduleId.endsWith(name)) ? 0 : 1)
    }
    return sorted.toSorted((a, b) => rank(a) - rank(b))
  }
}
