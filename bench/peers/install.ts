import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { type CommandOptions, runCommand } from '../../local/run-command.ts'
import { projectFolder } from '../../local/run-script.ts'

/** Peers are never Recoup's dependencies: each is installed into its own folder, which git ignores. */
const folderOf = (peer: string) => join(projectFolder, '.recoup', 'bench-peers', peer)
const INSTALL_MS = 300_000
/** Go compiles Temporal's server for minutes. */
const BUILD_MS = 1_800_000

/** A peer can't be installed; the message says why. */
export class PeerMissing extends Error {}

/** npm packages with exact versions. @returns the folder @throws PeerMissing */
export async function installFromNpm(peer: string, packages: Readonly<Record<string, string>>): Promise<string> {
  return installed(peer, packages, async (folder) => {
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies: packages }))
    await succeed('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'], folder)
  })
}

/** A virtual environment of Python with requirements. @returns the folder @throws PeerMissing */
export async function installFromPyPi(peer: string, packages: Readonly<Record<string, string>>): Promise<string> {
  const requirements = Object.entries(packages).map(([name, version]) => `${name}==${version}`)
  return installed(peer, packages, async (folder) => {
    await succeed('python3', ['-m', 'venv', '.'], folder)
    await succeed(join(folder, 'bin', 'pip'), ['install', '--quiet', '--no-input', ...requirements], folder)
  })
}

/** Programs with exact versions, built by Go. @returns the folder that they are in @throws PeerMissing */
export async function installFromGo(peer: string, programs: readonly string[]): Promise<string> {
  return installed(peer, Object.fromEntries(programs.entries()), async (folder) => {
    const env = { ...process.env, CGO_ENABLED: '0', GOTOOLCHAIN: 'local', GOBIN: folder }
    await succeed('go', ['install', '-trimpath', ...programs], folder, { env, timeoutMs: BUILD_MS })
  })
}

/** Loads a package of a peer's folder as CommonJS. */
export function requireFrom<Module>(folder: string, name: string): Module {
  return createRequire(join(folder, 'package.json'))(name) as Module
}

async function installed(
  peer: string,
  packages: Readonly<Record<string, string>>,
  install: (folder: string) => Promise<void>,
): Promise<string> {
  const folder = folderOf(peer)
  const mark = join(folder, 'installed.json')
  const wanted = JSON.stringify(packages)
  if (existsSync(mark) && readFileSync(mark, 'utf8') === wanted) return folder
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  await install(folder)
  writeFileSync(mark, wanted)
  return folder
}

async function succeed(program: string, words: string[], cwd: string, options: CommandOptions = {}): Promise<void> {
  const result = await runCommand(program, words, { cwd, timeoutMs: INSTALL_MS, ...options }).catch((error: Error) => {
    throw new PeerMissing(error.message)
  })
  if (result.code !== 0)
    throw new PeerMissing(result.output.trim().split('\n').slice(-3).join(' ') || `${program} failed`)
}
