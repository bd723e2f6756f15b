import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const PIECE = 65_536

/** Disks of their own in memory: the machine's own is never filled. */
export interface SmallDisk extends AsyncDisposable {
  /** A folder on it that belongs to the user that runs Postgres. */
  folder: string
  /** To the last byte. */
  fill(): void
  empty(): void
}

/** Why there can't be one on this machine; null = there can. Mounting is for root alone, and not in every container. */
export function noSmallDisk(): string | null {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'a small disk is mounted by root on Linux alone'
  const folder = mkdtempSync(join(tmpdir(), 'recoup-disk-'))
  try {
    run('mount', '-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder)
    run('umount', folder)
    return null
  } catch {
    return 'this machine lets nobody mount'
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** `like` = a folder of the user that is to own it. It is unmounted however this process ends: another one waits for that. */
export function openSmallDisk(megabytes: number, like: string): SmallDisk {
  const mounted = mkdtempSync(join(tmpdir(), 'recoup-disk-'))
  run('mount', '-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', mounted)
  // Lazily: whoever still has a file open there keeps it, nobody finds it.
  const keeper = spawn('sh', ['-c', 'cat > /dev/null; umount -l "$0"; rmdir "$0"', mounted], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  const gone = new Promise<void>((resolve) => keeper.once('exit', () => resolve()))
  chmodSync(mounted, 0o711)
  const folder = join(mounted, 'data')
  const filler = join(mounted, 'filler')
  mkdirSync(folder)
  const { uid, gid } = statSync(like)
  chownSync(folder, uid, gid)
  chmodSync(folder, 0o700)
  return {
    folder,
    fill() {
      const piece = Buffer.alloc(PIECE)
      try {
        for (;;) writeFileSync(filler, piece, { flag: 'a' })
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
      }
    },
    empty: () => rmSync(filler, { force: true }),
    async [Symbol.asyncDispose]() {
      keeper.stdin.end()
      await gone
    },
  }
}

const run = (command: string, ...args: string[]) => execFileSync(command, args, { stdio: 'ignore' })
