import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { projectFolder } from '../../../local/run-script.ts'
import { SEARCH_ATTRIBUTES } from '../../../workflows/contract.ts'
import { composedServices } from '../../harness/compose-file.ts'

const validator = [['docker-compose'], ['docker', 'compose']].find(
  ([file = '', ...args]) => spawnSync(file, [...args, 'version']).status === 0,
)
const secrets = {
  POSTGRES_PASSWORD: 'p4ssw0rd-of-a-test',
  POSTGRES_APP_PASSWORD: 'another-of-a-test',
  RECOUP_ENCRYPTION_KEYS: 'k1:key-of-a-test',
}
const configure = (env: Record<string, string>, ...args: string[]) =>
  spawnSync(validator?.[0] ?? '', [...(validator?.slice(1) ?? []), '--profile', 'demo', 'config', ...args], {
    cwd: projectFolder,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    encoding: 'utf8',
  })

if (!validator)
  console.warn('SKIPPED: the Compose file is not validated, there is neither docker-compose nor docker compose')

describe('docker-compose.yml', () => {
  test.skipIf(!validator)('is accepted by a validator of the Compose specification', () => {
    const { status, stdout, stderr } = configure(secrets)
    expect(stderr).toBe('')
    expect(status).toBe(0)
    for (const name of ['postgres', 'temporal', 'migrate', 'api', 'worker', 'simulators'])
      expect(stdout).toMatch(new RegExp(`^  ${name}:$`, 'm'))
    // One for each service.
    expect(stdout.match(/^ {4}healthcheck:$/gm)).toHaveLength(6)
  })

  test.skipIf(!validator).each(Object.keys(secrets))('does not start without %s', (name) => {
    const { status, stderr } = configure({ ...secrets, [name]: '' })
    expect(status).not.toBe(0)
    expect(stderr).toContain('make .env first')
  })

  test('its Temporal has every search attribute of the workflows', () => {
    const command = composedServices().find((service) => service.name === 'temporal')?.command ?? []
    const given = command.flatMap((word) => /^--search-attribute=(\w+)=/.exec(word)?.[1] ?? [])
    expect(given.sort()).toEqual(Object.keys(SEARCH_ATTRIBUTES).sort())
  })

  test('its command to make .env makes secrets that the services accept', async () => {
    const text = readFileSync(join(projectFolder, 'docker-compose.yml'), 'utf8')
    const lines = /^# {3}(printf .*\n?.*) > \.env$/m.exec(text)?.[1] ?? ''
    const command = lines.replace('\\\n#', '')
    const made = execFileSync('bash', ['-c', command], { encoding: 'utf8' })
    const [, owner = '', app = '', keys = ''] =
      /^POSTGRES_PASSWORD=(\S+)\nPOSTGRES_APP_PASSWORD=(\S+)\nRECOUP_ENCRYPTION_KEYS=(\S+)\n$/.exec(made) ?? []
    expect([owner, app].map(encodeURIComponent)).toEqual([owner, app])
    expect(owner).not.toBe(app)
    const { readKeyRing } = await import('../../../db/core/seal.ts')
    expect(readKeyRing(keys).current).toBe('k1')
  })
})
