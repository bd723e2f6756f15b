import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

/** Whether that process runs; a zombie does not count. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
  return process.platform !== 'linux' || !/^\d+ \(.*\) Z/s.test(readProc(pid, 'stat') ?? '')
}

/** Start time, which distinguishes a process from a later one with the same id. null when it doesn't run. */
export function processStamp(pid: number): string | null {
  if (!isAlive(pid)) return null
  if (process.platform === 'linux')
    return (
      readProc(pid, 'stat')
        ?.replace(/^.*\) /s, '')
        .split(' ')[19] ?? null
    )
  try {
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || null
  } catch {
    return null
  }
}

/** Resolves to true once none of them runs, or to false after `timeoutMs`. */
export async function waitForEnd(pids: readonly number[], timeoutMs: number): Promise<boolean> {
  for (const end = Date.now() + timeoutMs; ; await pause(25)) {
    if (!pids.some(isAlive)) return true
    if (Date.now() > end) return false
  }
}

/** SIGTERM, then SIGKILL if it still runs after `graceMs`. */
export async function stopProcess(pid: number, graceMs: number): Promise<void> {
  signal(pid, 'SIGTERM')
  if (await waitForEnd([pid], graceMs)) return
  signal(pid, 'SIGKILL')
  // Its ports are free only when it has ended, and a busy machine takes its time for that.
  await waitForEnd([pid], 10_000)
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // Already exited.
  }
}

function readProc(pid: number, file: string): string | null {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return null
  }
}
