import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Why I/O can't be made to fail on this machine; null = it can. */
export function noFiu(): string | null {
  try {
    execFileSync('sh', ['-c', 'command -v fiu-run && command -v fiu-ctrl'], { stdio: 'ignore' })
    return null
  } catch {
    return 'there is no fiu-run and fiu-ctrl (fiu-utils) on this machine'
  }
}

/** Environment of a process whose I/O can be made to fail while it runs, by commands of `fiu-ctrl`. */
export interface FailingIo extends Disposable {
  env: Record<string, string>
  /** @throws if that process was not started with `env` */
  tell(pid: number, commands: readonly string[]): void
}

export function openFailingIo(): FailingIo {
  const folder = mkdtempSync(join(tmpdir(), 'recoup-fiu-'))
  const prefix = join(folder, 'ctrl')
  const printed = execFileSync('fiu-run', ['-x', '-f', prefix, 'printenv', 'LD_PRELOAD'], { encoding: 'utf8' })
  return {
    env: { LD_PRELOAD: printed.trim(), FIU_CTRL_FIFO: prefix, FIU_ENABLE: '' },
    tell(pid, commands) {
      if (!existsSync(`${prefix}-${pid}.in`)) throw new Error(`process ${pid} was not started with libfiu`)
      const given = commands.flatMap((command) => ['-c', command])
      execFileSync('fiu-ctrl', ['-f', prefix, ...given, String(pid)], { stdio: 'ignore', timeout: 10_000 })
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  }
}
