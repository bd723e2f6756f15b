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

/** vitest's own order, but the files above first. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isLong = ({ moduleId }: TestSpecification) => LONG.some((name) => moduleId.endsWith(name))
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}
