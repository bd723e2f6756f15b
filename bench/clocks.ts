import { readdirSync, readFileSync } from 'node:fs'

/** Time that a piece of work took, in ms. */
export interface Cost {
  wallMs: number
  /** User and system time of this process. */
  cpuMs: number
  /** The same for all processes of the Postgres cluster; null when unreadable. */
  postgresCpuMs: number | null
}

/** Runs `work` and measures both clocks. `postgresPid` is the postmaster's, null = unknown. */
export async function timed<T>(postgresPid: number | null, work: () => Promise<T>): Promise<{ cost: Cost; result: T }> {
  const postgres = clusterCpuMs(postgresPid)
  const cpu = process.cpuUsage()
  const started = performance.now()
  const result = await work()
  const wallMs = performance.now() - started
  const { user, system } = process.cpuUsage(cpu)
  const after = clusterCpuMs(postgresPid)
  const postgresCpuMs = postgres === null || after === null ? null : after - postgres
  return { cost: { wallMs, cpuMs: (user + system) / 1000, postgresCpuMs }, result }
}

/** Ticks of /proc are 10 ms on every Linux that Node runs on. */
const TICK_MS = 10

/** The postmaster, its children, and its ended children. */
function clusterCpuMs(postmaster: number | null): number | null {
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
  return ticks * TICK_MS
}

/** Parent, utime, stime, cutime, cstime; null when the process has ended meanwhile. */
function statOf(pid: string): number[] | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name in parentheses may contain anything.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return [fields[1], ...fields.slice(11, 15)].map(Number)
  } catch {
    return null
  }
}
