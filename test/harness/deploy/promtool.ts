import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { runCommand } from '../../../local/run-command.ts'

const CACHED = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'recoup', 'promtool', 'promtool')

/**
 * Prometheus' checker: that of the PATH, or Debian's, unpacked into the user's cache. Nothing is installed.
 * @returns its path, or why there is none
 */
export async function findPromtool(): Promise<{ path: string } | { missing: string }> {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean)
  const found = [...folders.map((folder) => join(folder, 'promtool')), CACHED].find((path) => existsSync(path))
  if (found) return { path: found }
  const folder = `${dirname(CACHED)}.${process.pid}`
  mkdirSync(folder, { recursive: true })
  try {
    const run = async (command: string, ...args: string[]) => {
      const result = await runCommand(command, args, { cwd: folder, timeoutMs: 60_000 })
      if (result.code !== 0) throw new Error(result.output.trim().split('\n').at(-1))
    }
    await run('apt-get', 'download', 'prometheus')
    const [archive = ''] = readdirSync(folder).filter((name) => name.endsWith('.deb'))
    await run('dpkg-deb', '-x', archive, '.')
    mkdirSync(dirname(CACHED), { recursive: true })
    renameSync(join(folder, 'usr', 'bin', 'promtool'), CACHED)
    return { path: CACHED }
  } catch (error) {
    return { missing: `promtool is not on the PATH, and apt-get can't download it: ${(error as Error).message}` }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
