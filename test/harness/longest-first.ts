import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take long for their size: begun last they would leave the other cores with nothing to do. */
const LONG = [
  'test/unit/adapters/conformance.test.ts',
  'test/integration/workflows/commands/submission.test.ts',
  'test/integration/workflows/deactivation.test.ts',
  'test/integration/workflows/reconcile.test.ts',
  'test/integration/workflows/polling/polling.test.ts',
  'test/integration/workflows/commands/acceptance.test.ts',
  'test/integration/rotation/under-way.test.ts',
  'test/integration/api/http/process.test.ts',
]

/**
 * vitest's own order, but integration first, each project with the files above first: the many short unit tests then
 * keep all cores busy until the end, and a worker changes from one project to the other once.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const rank = ({ moduleId, project }: TestSpecification) =>
      (project.name === 'unit' ? 2 : 0) + (LONG.some((name) => moduleId.endsWith(name)) ? 0 : 1)
    return sorted.toSorted((a, b) => rank(a) - rank(b))
  }
}
