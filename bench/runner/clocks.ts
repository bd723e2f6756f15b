import { readdirSync, readFileSync } from 'node:fs'

/** Ticks of /proc are 10 ms on every Linux that Node runs on. */
const TICK_MS = 10

/** What a piece of work took, in ms. */
export interface Cost {
  wallMs: number
  /** User and system time of the process that did it. */
  cpuMs: number
  /** The same of every process of the Postgres cluster; null where it can't be read. */
  postgresCpuMs: number | null
}

/** Wall time and this process' CPU time of `work`, ms. */
export async function ownTime<T>(work: () => Promise<T>): Promise<{ wallMs: number; cpuMs: number; result: T }> {
  const cpu = process.cpuUsage()
  const started = performance.now()
  const result = await work()
  const wallMs = performance.now() - started
  const { user, system } = process.cpuUsage(cpu)
  return { wallMs, cpuMs: (user + system) / 1000, result }
}

/** CPU time of the Postgres cluster while `work` ran. `postmaster` null = unknown. */
export async function clusterTime<T>(
  postmaster: number | null,
  work: () => Promise<T>,
): Promise<{ postgresCpuMs: number | null; result: T }> {
  const before = clusterTicks(postmaster)
  const result = await work()
  const after = clusterTicks(postmaster)
  return { postgresCpuMs: before === null || after === null ? null : (after - before) * TICK_MS, result }
}

/** Runs `work` of this process between two readings of both clocks. */
export async function timed<T>(postgresPid: number | null, work: () => Promise<T>): Promise<{ cost: Cost; result: T }> {
  const { postgresCpuMs, result: own } = await clusterTime(postgresPid, () => ownTime(work))
  const { wallMs, cpuMs, result } = own
  return { cost: { wallMs, cpuMs, postgresCpuMs }, result }
}

/** User and system time of another process so far, ms; null when it can't be read. */
export function processCpuMs(pid: number): number | null {
  const stat = process.platform === 'linux' ? statOf(String(pid)) : null
  return stat && ((stat[1] ?? 0) + (stat[2] ?? 0)) * TICK_MS
}

/** Of this process and of its children that ended: without servers, which go on by themselves. 0 where /proc can't tell. */
export function ownAndChildrenCpuMs(): number {
  const stat = process.platform === 'linux' ? statOf('self') : null
  return (stat?.slice(1) ?? []).reduce((sum, ticks) => sum + ticks * TICK_MS, 0)
}

/** The postmaster, its children, and those that ended. */
export function clusterTicks(postmaster: number | null): number | null {
  if (postmaster === null || process.platform !== 'linux') return null
  let ticks = 0
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const stat = statOf(name)
    if (!stat) continue
    const [parent, user = 0, system = 0, endedUser = 0, endedSystem = 0] = stat
    if (Number(name) === postmaster) ticks += user + system + endedUser + endedSystem
    else if (parent === postmaster) ticks += user + system
  }
  return ticks
}

/** Parent, utime, stime, cutime, cstime in ticks; null when the process has ended meanwhile. */
export function statOf(pid: string): number[] | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name in parentheses may hold anything.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return [fields[1], ...fields.slice(11, 15)].map(Number)
  } catch {
    return null
  }
}

/**
 * Most memory that this process ever had. Linux hands `maxRSS` on from the process that spawned it; its own peak is VmHWM.
 */
export function peakRssMb(): number {
  const [, own] = /^VmHWM:\s+(\d+) kB$/m.exec(statusOfProcess()) ?? []
  return (own === undefined ? process.resourceUsage().maxRSS : Number(own)) / 1024
}

/** Empty where there is no /proc. */
function statusOfProcess(): string {
  try {
    return readFileSync('/proc/self/status', 'utf8')
  } catch {
    return ''
  }
}
