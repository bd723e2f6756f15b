import { execFileSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { testServers } from '../../harness/servers.ts'
import type { Ground } from '../ground/prepare.ts'

/** Who goes by a wrong clock. Postgres, Temporal and the PSPs always have the right one. */
export const WHO = ['worker', 'api', 'both'] as const
export type Who = (typeof WHO)[number]

const HOUR = 3_600
export const SHIFTS: Readonly<Record<string, { title: string; seconds: number }>> = {
  hour_ahead: { title: 'an hour ahead', seconds: HOUR },
  hour_behind: { title: 'an hour behind', seconds: -HOUR },
  day_ahead: { title: 'a day ahead', seconds: 24 * HOUR },
  day_behind: { title: 'a day behind', seconds: -24 * HOUR },
}

/** What `faketime` would have the loader load, wherever it is installed. @returns the reason when there is no such tool */
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

/** Starts an API and a worker with those clocks in the place of the ones that run. `seconds` = 0: both are right. */
export async function setClocks(ground: Ground, preload: string, who: Who, seconds: number): Promise<void> {
  const { stack } = ground
  const shown = `${seconds < 0 ? '' : '+'}${seconds}`
  // Timers go by the monotonic clock, which no administrator sets.
  const wrong = { LD_PRELOAD: preload, FAKETIME: shown, DONT_FAKE_MONOTONIC: '1' }
  const envOf = (one: Who) => (seconds !== 0 && (who === one || who === 'both') ? wrong : {})
  const before = [ground.api.child, ground.worker.child]
  const hold = () => mkdtempSync(join(testServers().folder, 'clock-'))
  const [apiHolds, workerHolds] = [hold(), hold()]
  const [api, worker] = await Promise.all([
    stack.startApi({ ...envOf('api'), HOLD_AT: apiHolds }),
    stack.startWorker({ ...envOf('worker'), HOLD_AT: workerHolds }),
    ...before.map((child) => child.stop()),
  ])
  ground.api = { child: api, holds: apiHolds }
  ground.worker = { child: worker, holds: workerHolds }
}

/** A wrong clock is loud: in the log of its process, and in what the API tells of itself; a right one is not. */
export async function loudEnough({ stack, api, worker }: Ground, who: Who, seconds: number): Promise<string[]> {
  const why: string[] = []
  const sentence = `${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'}`
  // The tools' own error is under a second.
  const near = [-1, 0, 1].map((off) => sentence.replace(/^\d+/, String(Math.abs(seconds) + off)))
  for (const [name, { child }] of [['worker', worker] as const, ['api', api] as const]) {
    const wrong = who === name || who === 'both'
    const told = child.lines.some((line) => near.some((one) => line.includes(one)))
    if (told !== wrong)
      why.push(`the log of the ${name} ${told ? 'tells of a wrong clock' : `says nothing of ${sentence}`}`)
  }
  const url = stack.apis.at(-1)?.operatorsUrl
  const text = await fetch(`${url}/metrics`).then((answer) => answer.text())
  const ahead = Number(/^recoup_api_clock_ahead_seconds (\S+)$/m.exec(text)?.[1])
  const expected = who === 'worker' ? 0 : seconds
  if (!(Math.abs(ahead - expected) < 1.5)) why.push(`the API's metric says ${ahead} s, not ${expected}`)
  const { problems = [] } = (await fetch(`${url}/ready`).then((answer) => answer.json())) as { problems?: string[] }
  if (problems.length > 0 !== (who !== 'worker')) why.push(`/ready tells ${JSON.stringify(problems)}`)
  return why
}
