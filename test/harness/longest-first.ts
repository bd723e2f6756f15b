import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Small files whose tests are made by a loop: begun last they would leave one core with nothing to do. */
const LONG = ['test/unit/adapters/conformance.test.ts', 'test/unit/scripts/adapter-new.test.ts']

/** vitest's own order, but the files above first. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isLong = ({ moduleId }: TestSpecification) => LONG.some((name) => moduleId.endsWith(name))
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}
