import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { isAlive } from '../../../local/processes.ts'

/** Limits only of processes that the suite itself started, and of their children. */

export function noLimits(): string | null {
  try {
    execFileSync('prlimit', ['--pid', String(process.pid), '--nofile'], { stdio: 'ignore' })
    return null
  } catch {
    return 'there is no prlimit (util-linux) on this machine'
  }
}

/**
 * Sets the soft limit, so that it can be raised again. Runs as the user of the process: in a container root may not.
 * @throws if that is not allowed
 */
export function limit(pids: readonly number[], resource: Resource, soft: number | 'unlimited'): void {
  for (const pid of pids.filter(isAlive))
    try {
      const { uid, gid } = statSync(`/proc/${pid}`)
      execFileSync('prlimit', ['--pid', String(pid), `--${resource}=${soft}:`], { stdio: 'pipe', uid, gid })
    } catch (error) {
      if (isAlive(pid)) throw error
    }
}

/** The process and its children, which have their own limits. */
export function familyOf(pid: number): number[] {
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((one) => parentOf(one) === pid)
  return [pid, ...children]
}

function parentOf(pid: number): number | null {
  try {
    const [, parent = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    return Number(parent)
  } catch {
    return null
  }
}

const NAMES = {
  fsize: 'Max file size',
  nofile: 'Max open files',
  as: 'Max address space',
  data: 'Max data size',
}
export type Resource = keyof typeof NAMES

/** Current soft limit, to restore it later. */
export function limitOf(pid: number, resource: Resource): number | 'unlimited' {
  const row = new RegExp(`^${NAMES[resource]}\\s+(\\S+)`, 'm').exec(readFileSync(`/proc/${pid}/limits`, 'utf8'))
  return row?.[1] === 'unlimited' ? 'unlimited' : Number(row?.[1])
}

/** Bytes of address space; 0 for a process that has ended. */
export const spaceOf = (pid: number): number => bytesOf(pid, 'VmSize')

/** Bytes of writable memory, without heap that V8 has reserved but doesn't use. 0 for a process that has ended. */
export const dataOf = (pid: number): number => bytesOf(pid, 'VmData')

function bytesOf(pid: number, name: 'VmSize' | 'VmData'): number {
  try {
    const row = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
    return Number(row?.[1] ?? 0) * 1_024
  } catch {
    return 0
  }
}
