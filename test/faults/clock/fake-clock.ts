import { execFileSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { testServers } from '../../harness/servers.ts'
import type { Testbed } from '../testbed/prepare.ts'

/** Which processes have a wrong clock. Postgres, Temporal and the PSPs always have the right one. */
export const WHO = ['worker', 'api', 'both'] as const
export type Who = (typeof WHO)[number]

const HOUR = 3_600
export const SHIFTS: Readonly<Record<string, { title: string; seconds: number }>> = {
  hour_ahead: { title: 'an hour ahead', seconds: HOUR },
  hour_behind: { title: 'an hour behind', seconds: -HOUR },
  day_ahead: { title: 'a day ahead', seconds: 24 * HOUR },
  day_behind: { title: 'a day behind', seconds: -24 * HOUR },
}

/** The library that `faketime` preloads, wherever it is installed, or the reason why there is none. */
export function findFakeTime(): { preload: string } | { missing: string } {
  try {
    const preload = execFileSync('faketime', ['-m', '-f', '+0', 'printenv', 'LD_PRELOAD'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
    return preload ? { preload } : { missing: 'faketime names no library' }
  } catch {
    return { missing: 'there is no faketime (libfaketime) on this machine' }
  }
}

/** Replaces API and worker by processes with these clocks. `seconds` = 0: both are right. */
export async function setClocks(testbed: Testbed, preload: string, who: Who, seconds: number): Promise<void> {
  const { stack } = testbed
  const shown = `${seconds < 0 ? '' : '+'}${seconds}`
  // Timers use the monotonic clock, which no administrator sets.
  const wrong = { LD_PRELOAD: preload, FAKETIME: shown, DONT_FAKE_MONOTONIC: '1' }
  const envOf = (one: Who) => (seconds !== 0 && (who === one || who === 'both') ? wrong : {})
  const before = [testbed.api.child, testbed.worker.child]
  const hold = () => mkdtempSync(join(testServers().folder, 'clock-'))
  const [apiHolds, workerHolds] = [hold(), hold()]
  const [api, worker] = await Promise.all([
    stack.startApi({ ...envOf('api'), HOLD_AT: apiHolds }),
    stack.startWorker({ ...envOf('worker'), HOLD_AT: workerHolds }),
    ...before.map((child) => child.stop()),
  ])
  testbed.api = { child: api, holds: apiHolds }
  testbed.worker = { child: worker, holds: workerHolds }
}

/** A wrong clock shows in the log of its process and in the API's metrics and readiness; a right one does not. */
export async function loudEnough({ stack, api, worker }: Testbed, who: Who, seconds: number): Promise<string[]> {
  const why: string[] = []
  const sentence = `${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'}`
  // The error of the tools is under a second.
  const near = [-1, 0, 1].map((off) => sentence.replace(/^\d+/, String(Math.abs(seconds) + off)))
  for (const [name, { child }] of [['worker', worker] as const, ['api', api] as const]) {
    const wrong = who === name || who === 'both'
    const logged = child.lines.some((line) => near.some((one) => line.includes(one)))
    if (logged !== wrong)
      why.push(`the log of the ${name} ${logged ? 'reports a wrong clock' : `does not say “${sentence}”`}`)
  }
  const url = stack.apis.at(-1)?.operatorsUrl
  const text = await fetch(`${url}/metrics`).then((response) => response.text())
  const ahead = Number(/^recoup_api_clock_ahead_seconds (\S+)$/m.exec(text)?.[1])
  const expected = who === 'worker' ? 0 : seconds
  if (!(Math.abs(ahead - expected) < 1.5)) why.push(`the API's metric says ${ahead} s, not ${expected}`)
  const { problems = [] } = (await fetch(`${url}/ready`).then((response) => response.json())) as { problems?: string[] }
  if (problems.length > 0 !== (who !== 'worker')) why.push(`/ready says ${JSON.stringify(problems)}`)
  return why
}
