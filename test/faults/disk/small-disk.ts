import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const PIECE = 65_536

/** A separate disk in memory: the machine's own disk is never filled. */
export interface SmallDisk extends AsyncDisposable {
  /** A folder on it that belongs to the user that runs Postgres. */
  folder: string
  /** Fills it to the last byte. */
  fill(): void
  empty(): void
}

/** Why there can't be one on this machine; null = there can. Only root can mount, and not in every container. */
export function noSmallDisk(): string | null {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'only root on Linux can mount a small disk'
  const folder = mkdtempSync(join(tmpdir(), 'recoup-disk-'))
  try {
    run('mount', '-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder)
    run('umount', folder)
    return null
  } catch {
    return 'this machine does not allow mounts'
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** `like` = a folder of its future owner. Another process unmounts the disk however this process ends. */
export function openSmallDisk(megabytes: number, like: string): SmallDisk {
  const mounted = mkdtempSync(join(tmpdir(), 'recoup-disk-'))
  run('mount', '-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', mounted)
  // Lazily: processes keep the files that they have open there.
  const keeper = spawn('sh', ['-c', 'cat > /dev/null; umount -l "$0"; rmdir "$0"', mounted], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  const unmounted = new Promise<void>((resolve) => keeper.once('exit', () => resolve()))
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
      await unmounted
    },
  }
}

const run = (command: string, ...args: string[]) => execFileSync(command, args, { stdio: 'ignore' })
