import { randomUUID } from 'node:crypto'
import { linkSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { isAlive } from './processes.ts'

const BEAT_MS = 2_000
const STALE_MS = 15_000

interface Claim {
  pid: number
  token: string
}

export interface LockOptions {
  /** Called about every second while somebody else holds the lock. */
  onWait?: (holder: number, waitedMs: number) => void
}

/**
 * Runs `work` while no other process of this user runs it under the same file. A lock whose holder died, or has not
 * touched it for 15 s (another machine on a shared home), is taken over. It saves double work; it is no fence: what
 * `work` makes must appear by rename.
 */
export async function withFileLock<T>(file: string, work: () => Promise<T>, options: LockOptions = {}): Promise<T> {
  const mine: Claim = { pid: process.pid, token: randomUUID() }
  const started = Date.now()
  let told = 0
  while (!claim(file, mine)) {
    const holder = readClaim(file)
    if (holder && isStale(file, holder)) {
      takeAway(file, holder)
      continue
    }
    if (holder && Date.now() - told >= 1_000) {
      told = Date.now()
      options.onWait?.(holder.pid, told - started)
    }
    await pause(100)
  }
  const beat = setInterval(() => {
    try {
      utimesSync(file, new Date(), new Date())
    } catch {
      // Taken away: see above, no fence.
    }
  }, BEAT_MS)
  const release = () => {
    if (readClaim(file)?.token === mine.token) rmSync(file, { force: true })
  }
  process.once('exit', release)
  try {
    return await work()
  } finally {
    clearInterval(beat)
    process.removeListener('exit', release)
    release()
  }
}

function claim(file: string, mine: Claim): boolean {
  // Linked into place, so that nobody ever reads a lock that is half written.
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
  const untouched = Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())
  return untouched > STALE_MS || (!isAlive(holder.pid) && untouched > BEAT_MS)
}

/** Removes the lock if it is still the one that was found stale; one that came in between goes back. */
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
      // A third one was quicker.
    }
  }
  rmSync(aside, { force: true })
}
