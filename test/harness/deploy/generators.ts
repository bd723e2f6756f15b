import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { runCommand } from '../../../local/run-command.ts'

/** Exact versions. Not in package.json: openapi-typescript needs a TypeScript that is older than ours. */
const NPM = ['openapi-typescript@7.13.0', 'openapi-fetch@0.17.0', 'typescript@5.9.3', '@types/node@20.19.43']
const PYTHON = 'openapi-python-client==0.29.1'

const CACHE = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'recoup', 'client-generators')

export type Found = { folder: string } | { missing: string }

/** Runs the command. @throws with its last lines when it fails */
export async function run(file: string, args: string[], cwd: string, env: Record<string, string> = {}) {
  const result = await runCommand(file, args, { cwd, timeoutMs: 300_000, env: { ...process.env, ...env } })
  if (result.code !== 0) throw new Error(`${file} ${args[0]}: ${result.output.trim().slice(-2_000)}`)
  return result.output
}

/** Makes the folder once, from registries. @returns why it can't be made, without network for example */
async function cached(name: string, make: (folder: string) => Promise<unknown>): Promise<Found> {
  const folder = join(CACHE, name.replaceAll(/[^\w.=-]+/g, '-'))
  const ready = join(folder, 'ready')
  if (existsSync(ready)) return { folder }
  try {
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    await make(folder)
    writeFileSync(`${ready}.new`, name)
    renameSync(`${ready}.new`, ready)
    return { folder }
  } catch (error) {
    return { missing: `${name} can't be installed: ${(error as Error).message}` }
  }
}

/** A folder with `node_modules`. */
export const typescriptGenerator = (): Promise<Found> =>
  cached(NPM.join(' '), async (folder) => {
    writeFileSync(join(folder, 'package.json'), '{"private": true, "type": "module"}')
    await run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...NPM], folder)
  })

/** A virtual environment whose python has the official library of Standard Webhooks. */
export const pythonWebhooks = (): Promise<Found> =>
  cached('standardwebhooks==1.1.0', async (folder) => {
    await run('python3', ['-m', 'venv', '.'], folder)
    await run(join(folder, 'bin', 'pip'), ['install', '--quiet', 'standardwebhooks==1.1.0'], folder)
  })

/** A virtual environment: its `bin` has python and the generator. */
export const pythonGenerator = (): Promise<Found> =>
  cached(PYTHON, async (folder) => {
    await run('python3', ['-m', 'venv', '.'], folder)
    await run(join(folder, 'bin', 'pip'), ['install', '--quiet', PYTHON], folder)
  })
