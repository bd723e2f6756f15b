import { openBench } from './bench.ts'
import { type Check, Skipped } from './check.ts'
import type { Subject } from './subject.ts'
import { SUITES } from './suites.ts'

export interface CheckResult {
  suite: string
  check: string
  outcome: 'passed' | 'failed' | 'skipped'
  /** Why it failed or was skipped. */
  reason: string | null
  ms: number
}

export interface Report {
  source: string
  apiVersion: string
  results: CheckResult[]
}

/** Runs every suite against an adapter, each check with a separate simulator. */
export async function runConformance(
  subject: Subject,
  onResult: (result: CheckResult) => void = () => undefined,
): Promise<Report> {
  const results: CheckResult[] = []
  for (const suite of SUITES) {
    for (const check of suite.checks) {
      const started = performance.now()
      const verdict = await runCheck(subject, check)
      const result = { suite: suite.name, check: check.name, ...verdict, ms: Math.round(performance.now() - started) }
      results.push(result)
      onResult(result)
    }
  }
  return { source: subject.definition.source, apiVersion: subject.definition.apiVersion, results }
}

/** Runs one check; a skipped check is reported too. */
export async function runCheck(subject: Subject, check: Check): Promise<Pick<CheckResult, 'outcome' | 'reason'>> {
  const reason = subject.skips[check.name]
  if (reason !== undefined) return { outcome: 'skipped', reason }
  await using bench = await openBench(subject)
  try {
    await check.run(bench)
    return { outcome: 'passed', reason: null }
  } catch (error) {
    if (error instanceof Skipped) return { outcome: 'skipped', reason: error.message }
    return { outcome: 'failed', reason: error instanceof Error ? error.message : String(error) }
  }
}
