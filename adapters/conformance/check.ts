import type { Bench } from './bench.ts'

/** One thing that must hold, named as the report prints it. It fails by throwing. */
export interface Check {
  name: string
  run(bench: Bench): Promise<unknown>
}

export interface Suite {
  name: string
  checks: readonly Check[]
}

/** Ends a check that doesn't apply to this PSP. The reason is printed. */
export class Skipped extends Error {}

export function skip(reason: string): never {
  throw new Skipped(reason)
}

/** Like assert.ok, whose search for the expression takes minutes in transpiled code. @throws Error with the sentence */
export function must(holds: unknown, sentence: string): asserts holds {
  if (!holds) throw new Error(sentence)
}
