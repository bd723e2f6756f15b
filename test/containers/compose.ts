import { execFileSync, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCommand } from '../../local/run-command.ts'
import { projectFolder } from '../../local/run-script.ts'

/**
 * RECOUP_TEST_COMPOSE: command instead of `docker compose`; by default Docker is used.
 * RECOUP_TEST_PREPARE: shell command that runs first, for a machine that must build its base images. It may also build
 * the image recoup-temporal, which takes minutes with Go: that image is then used as it is.
 */
const { RECOUP_TEST_COMPOSE, RECOUP_TEST_PREPARE } = process.env

const succeeds = (...words: string[]) => spawnSync(words[0] ?? '', words.slice(1), { timeout: 30_000 }).status === 0

/** Why the containers can't run here; null = they can. */
export function missingEngine(): string | null {
  if (RECOUP_TEST_COMPOSE) return null
  if (!succeeds('docker', 'info'))
    return 'no container engine responds to `docker info`, and RECOUP_TEST_COMPOSE names none'
  return succeeds('docker', 'compose', 'version') ? null : 'Docker has no `docker compose`'
}

export interface Project extends AsyncDisposable {
  /** `docker compose …` with the project's secrets and ports. @returns both its streams @throws if it fails */
  compose(...args: string[]): Promise<string>
  /** Runs a command in a service's container. */
  exec(service: string, ...command: string[]): Promise<string>
  /** `up` of the demo, with images of this working tree. */
  start(): Promise<void>
}

/** A separate Compose project with its own ports and the secrets that the command in the file makes. */
export async function openProject(ports: { api: number; temporalUi: number; simulators: number }): Promise<Project> {
  const folder = mkdtempSync(join(tmpdir(), 'recoup-containers-'))
  const text = readFileSync(join(projectFolder, 'docker-compose.yml'), 'utf8')
  const makeSecrets = /^# {3}(printf 'POSTGRES_PASSWORD.*\n?.* > \.env)$/m.exec(text)?.[1]?.replace('\\\n#', '')
  execFileSync('bash', ['-c', makeSecrets ?? 'false'], { cwd: folder })
  const env = {
    ...process.env,
    COMPOSE_PROJECT_NAME: `recoup-test-${randomBytes(3).toString('hex')}`,
    RECOUP_PUBLISHED_API_PORT: String(ports.api),
    RECOUP_PUBLISHED_TEMPORAL_UI_PORT: String(ports.temporalUi),
    RECOUP_PUBLISHED_SIMULATORS_PORT: String(ports.simulators),
  }
  const run = async (file: string, args: string[]) => {
    const { code, output } = await runCommand(file, args, { cwd: projectFolder, env, timeoutMs: 1_200_000 })
    if (code !== 0) throw new Error(`${[file, ...args].join(' ')} ended with ${code}:\n${output}`)
    return output
  }
  const [engine = '', ...first] = (RECOUP_TEST_COMPOSE ?? 'docker compose').split(' ')
  const compose = (...args: string[]) => run(engine, [...first, '--env-file', join(folder, '.env'), ...args])
  const project: Project = {
    compose,
    exec: (service, ...command) => compose('exec', '-T', service, ...command),
    async start() {
      if (RECOUP_TEST_PREPARE) {
        await run('bash', ['-c', RECOUP_TEST_PREPARE])
        await compose('--profile', 'demo', 'build', 'migrate', 'simulators')
        await compose('--profile', 'demo', 'up', '--detach')
      } else await compose('--profile', 'demo', 'up', '--build', '--detach')
    },
    async [Symbol.asyncDispose]() {
      await compose('--profile', 'demo', 'down', '--volumes', '--timeout', '5')
      rmSync(folder, { recursive: true, force: true })
    },
  }
  return project
}
