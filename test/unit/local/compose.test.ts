import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readLocalConfig } from '../../../local/config.ts'
import { simulatedPsps } from '../../../local/psps.ts'
import { projectFolder } from '../../../local/run-script.ts'
import { SEARCH_ATTRIBUTES } from '../../../workflows/contract.ts'
import { composedServices } from '../../harness/installation/compose-file.ts'

const validator = [['docker-compose'], ['docker', 'compose']].find(
  ([file = '', ...args]) => spawnSync(file, [...args, 'version']).status === 0,
)
const composeText = readFileSync(join(projectFolder, 'docker-compose.yml'), 'utf8')
const simulatedByDefault = simulatedPsps(readLocalConfig({}))
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
    // One for each service except the demo, which exits by itself and which no service waits for.
    expect(stdout.match(/^ {4}healthcheck:$/gm)).toHaveLength(6)
  })

  test.skipIf(!validator)('builds each image once, and no other service pulls it from a registry', () => {
    const { stdout } = configure(secrets)
    const blocks = stdout.slice(0, stdout.indexOf('\nvolumes:')).split(/\n {2}(?=[\w-]+:\n)/)
    for (const image of ['recoup', 'recoup-demo', 'recoup-temporal']) {
      const users = blocks.filter((block) => new RegExp(`^ {4}image: ${image}$`, 'm').test(block))
      const builders = users.filter((block) => /^ {4}build:$/m.test(block))
      expect(builders, image).toHaveLength(1)
      for (const block of users.filter((one) => !builders.includes(one)))
        expect(block).toMatch(/^ {4}pull_policy: never$/m)
    }
  })

  test.skipIf(!validator)('simulates every PSP by default, and none after the command at its top', () => {
    const simulated = configure(secrets).stdout
    for (const psp of simulatedByDefault) {
      const { addressVariable, portOffset } = psp
      expect(simulated.match(new RegExp(`^ +${addressVariable}: .*$`, 'gm'))?.map((line) => line.trim())).toEqual(
        Array(4).fill(`${addressVariable}: http://simulators:${12110 + portOffset}`),
      )
    }
    const command = /^# {3}(printf '%s_API_URL.*) >> \.env$/m.exec(composeText)?.[1] ?? 'false'
    const lines = execFileSync('bash', ['-c', command], { encoding: 'utf8' }).trim().split('\n')
    const real = configure({ ...secrets, ...Object.fromEntries(lines.map((line) => [line.replace(/=$/, ''), ''])) })
    expect(lines).toHaveLength(simulatedByDefault.length)
    expect(real.stdout).not.toContain('http://simulators')
  })

  test('publishes none of the ports of `npm start`', () => {
    const published = [...composeText.matchAll(/127\.0\.0\.1:\$\{RECOUP_PUBLISHED_\w+:-(\d+)\}:/g)].map((one) =>
      Number(one[1]),
    )
    const local = readLocalConfig({})
    const own = Object.entries(local).flatMap(([name, value]) => (name.endsWith('_PORT') ? [Number(value)] : []))
    const psps = simulatedByDefault.map((psp) => local.RECOUP_SIMULATORS_PORT + psp.portOffset)
    expect(published.length).toBe(composeText.match(/^ {4}ports:/gm)?.length)
    expect(published.filter((port) => [...own, ...psps].includes(port))).toEqual([])
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

  test('its command for .env creates secrets that the services accept', async () => {
    const lines = /^# {3}(printf .*\n?.*) > \.env$/m.exec(composeText)?.[1] ?? ''
    const command = lines.replace('\\\n#', '')
    const created = execFileSync('bash', ['-c', command], { encoding: 'utf8' })
    const [, owner = '', app = '', keys = ''] =
      /^POSTGRES_PASSWORD=(\S+)\nPOSTGRES_APP_PASSWORD=(\S+)\nRECOUP_ENCRYPTION_KEYS=(\S+)\n$/.exec(created) ?? []
    expect([owner, app].map(encodeURIComponent)).toEqual([owner, app])
    expect(owner).not.toBe(app)
    const { readKeyRing } = await import('../../../db/core/seal.ts')
    expect(readKeyRing(keys).current).toBe('k1')
  })
})
