import { randomUUID } from 'node:crypto'
import { linkSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { processStamp } from './processes.ts'

const BEAT_MS = 2_000
const STALE_MS = 15_000

export interface Claim {
  pid: number
  /** Distinguishes the holder from a later process with the same id. */
  stamp: string | null
  host: string
  token: string
}

export type Attempt = { held: true; release: () => void } | { held: false; holder: Claim | null }

/**
 * Takes the lock, or tells who has it. One whose holder died, or that nobody touched for 15 s (another machine on a
 * shared home), is taken over. It saves double work and is no fence: what is made under it must appear by rename.
 */
export function tryLock(file: string): Attempt {
  const mine: Claim = { pid: process.pid, stamp: processStamp(process.pid), host: hostname(), token: randomUUID() }
  if (!place(file, mine)) {
    const holder = readClaim(file)
    if (!holder || !isStale(file, holder)) return { held: false, holder }
    takeAway(file, holder)
    if (!place(file, mine)) return { held: false, holder: readClaim(file) }
  }
  const beat = setInterval(() => {
    try {
      utimesSync(file, new Date(), new Date())
    } catch {
      // Taken over by another process: see above, the lock is no fence.
    }
  }, BEAT_MS).unref()
  const release = () => {
    clearInterval(beat)
    process.removeListener('exit', release)
    if (readClaim(file)?.token === mine.token) rmSync(file, { force: true })
  }
  process.once('exit', release)
  return { held: true, release }
}

/**
 * Runs `work` while no other process runs it under the same file, waiting as long as it takes.
 * @param onWait called about every second while somebody else holds the lock
 */
export async function withFileLock<T>(
  file: string,
  work: () => Promise<T>,
  onWait: (holderPid: number, waitedMs: number) => void = () => undefined,
): Promise<T> {
  const started = Date.now()
  let told = started - 1_000
  for (;;) {
    const attempt = tryLock(file)
    if (attempt.held) return work().finally(attempt.release)
    if (attempt.holder && Date.now() - told >= 1_000) {
      told = Date.now()
      onWait(attempt.holder.pid, told - started)
    }
    await pause(100)
  }
}

/** Created with a link, so that nobody reads a half-written lock. */
function place(file: string, mine: Claim): boolean {
  const own = `${file}.${mine.token}`
  writeFileSync(own, JSON.stringify(mine))
  try {
    linkSync(own, file)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return false
  } finally {
    rmSync(own, { force: true })
  }
}

function readClaim(file: string): Claim | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return null
  }
}

function isStale(file: string, holder: Claim): boolean {
  if (holder.host === hostname()) return processStamp(holder.pid) !== holder.stamp
  return Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()) > STALE_MS
}

/** Removes the lock if it is still the stale one; a newer one is restored. */
function takeAway(file: string, stale: Claim): void {
  const aside = `${file}.${randomUUID()}`
  try {
    renameSync(file, aside)
  } catch {
    return
  }
  if (readClaim(aside)?.token !== stale.token) {
    try {
      linkSync(aside, file)
    } catch {
      // Another process was faster.
    }
  }
  rmSync(aside, { force: true })
}
