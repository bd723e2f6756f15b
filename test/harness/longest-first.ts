import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take long for their size: if they started last, the other cores would be idle. */
const LONG = [
  'test/faults/torture.test.ts',
  'test/statements/at-size.test.ts',
  'test/unit/scripts/adapter-new.test.ts',
  'test/faults/dispatch/wiped.test.ts',
  'test/integration/workflows/commands/submission.test.ts',
  'test/integration/workflows/polling/polling.test.ts',
  'test/integration/workflows/commands/acceptance.test.ts',
  'test/integration/api/http/process.test.ts',
  'test/integration/api/access/tenancy-by-policies.test.ts',
  'test/unit/files/processes.test.ts',
]

/**
 * vitest's own order, except that integration comes first, then unit, and the LONG files of each project first. The many
 * short unit tests keep all cores busy until the end, and a worker switches between the projects only once.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const rank = ({ moduleId, project }: TestSpecification) =>
      (project.name === 'unit' ? 2 : 0) + (LONG.some((name) => moduleId.endsWith(name)) ? 0 : 1)
    return sorted.toSorted((a, b) => rank(a) - rank(b))
  }
}
