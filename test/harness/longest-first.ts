import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take long for their size: if they started last, the other cores would be idle. */
const LONG = [
  'test/faults/torture.test.ts',
  'test/statements/at-size.test.ts',
  'test/unit/scripts/adapter-new.test.ts',
  'test/faults/dispatch/wiped.test.ts',
  'test/integration/local/start.test.ts',
  'test/integration/bench.test.ts',
  'test/integration/console/evidence.test.ts',
  'test/integration/workflows/commands/submission.test.ts',
  'test/integration/workflows/polling/polling.test.ts',
  'test/integration/workflows/commands/acceptance.test.ts',
  'test/integration/api/http/process.test.ts',
  'test/integration/api/access/tenancy-by-policies.test.ts',
  'test/unit/files/processes.test.ts',
]

/** vitest's own order, except that the LONG files come first. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const rank = ({ moduleId }: TestSpecification) => (LONG.some((name) => moduleId.endsWith(name)) ? 0 : 1)
    return sorted.toSorted((a, b) => rank(a) - rank(b))
  }
}
