import type { Bench } from './bench.ts'

/** One requirement, named as the report prints it. It fails by throwing. */
export interface Check {
  name: string
  run(bench: Bench): Promise<unknown>
}

export interface Suite {
  name: string
  checks: readonly Check[]
}

/** Ends a check that does not apply to this PSP. The report prints the reason. */
export class Skipped extends Error {}

export function skip(reason: string): never {
  throw new Skipped(reason)
}

/** Like assert.ok, which takes minutes to locate the expression in transpiled code. @throws Error with the sentence */
export function must(holds: unknown, sentence: string): asserts holds {
  if (!holds) throw new Error(sentence)
}
