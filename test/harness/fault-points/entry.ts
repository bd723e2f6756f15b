const ENTRIES = { api: 'api/main.ts', worker: 'workflows/worker/main.ts' } as const

/** The product's own entry, or the one with fault points if the test needs them. */
export function entryOf(process: keyof typeof ENTRIES, env: Record<string, string>): string {
  return env.CRASH_AT || env.HOLD_AT ? `test/harness/fault-points/${process}.ts` : ENTRIES[process]
}
