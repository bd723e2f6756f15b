import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { projectFolder } from '../../../local/run-script.ts'

const importing = (specifier: string) => `import type { a } from '${specifier}'\nexport type B = a\n`
const ENVIRONMENT = 'export const a = process.env.A\n'

const forbidden: [string, string][] = [
  ['domain', '../db/connect.ts'],
  ['domain', 'kysely'],
  ['adapters', 'stripe'],
  ['adapters/simulator', '../../db/connect.ts'],
  ['adapters/stripe', '../../db/connect.ts'],
  ['adapters/stripe', '@temporalio/activity'],
  ['adapters/sandbox', '../../db/connect.ts'],
  ['adapters/sandbox', '../stripe/index.ts'],
  ['adapters/sandbox', '../registry.ts'],
  ['adapters/sandbox', 'kysely'],
  ['db', '../adapters/contract.ts'],
  ['db', '../workflows/contract.ts'],
  ['workflows', '../db/connect.ts'],
  ['workflows', 'zod'],
  ['workflows/activities', 'kysely'],
  ['workflows/activities', '../../adapters/stripe/index.ts'],
  ['api/routes', 'pg'],
  ['api/routes', '../../workflows/activities/psp.ts'],
  ['api/routes', '../../adapters/stripe/index.ts'],
  ['cli', '../local/stack.ts'],
]
const allowed: [string, string][] = [
  ['domain', './chargeback.ts'],
  ['domain', 'zod'],
  ['adapters/stripe', 'stripe'],
  ['adapters/stripe', '../contract.ts'],
  ['adapters/sandbox', '../contract.ts'],
  ['adapters/sandbox', '../simulator/contract.ts'],
  ['adapters/sandbox', '../../domain/chargeback.ts'],
  ['adapters/sandbox', 'zod'],
  ['db', 'kysely'],
  ['workflows', '../domain/chargeback.ts'],
  ['workflows/activities', '../../db/connect.ts'],
  ['api/routes', '../../db/chargebacks.ts'],
  ['local', '../api/config.ts'],
]
const fileOf = (kind: string, index: number, folder: string) => `${folder}/${kind}-${index}.ts`

/** A project of these files alone, under our own rules, and what the linter says about each of them. */
const folder = mkdtempSync(join(tmpdir(), 'recoup-boundaries-'))
let rules: Map<string, string[]>
const found = (path: string) => rules.get(path) ?? []

beforeAll(() => {
  cpSync(join(projectFolder, 'biome.json'), join(folder, 'biome.json'))
  const files: [string, string][] = [
    ...forbidden.map(([at, from], index): [string, string] => [fileOf('forbidden', index, at), importing(from)]),
    ...allowed.map(([at, from], index): [string, string] => [fileOf('allowed', index, at), importing(from)]),
    ['workflows/node.ts', "import { join } from 'node:path'\nexport const b = join\n"],
    ['api/routes/environment.ts', ENVIRONMENT],
    ['api/config.ts', ENVIRONMENT],
  ]
  for (const [path, text] of files) {
    mkdirSync(join(folder, dirname(path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  const biome = join(projectFolder, 'node_modules/.bin/biome')
  const run = spawnSync(biome, ['lint', '--reporter=json', '--max-diagnostics=none', '.'], {
    cwd: folder,
    encoding: 'utf8',
  })
  const report: { diagnostics: { category: string; location: { path: string } }[] } = JSON.parse(run.stdout)
  rules = new Map()
  for (const { category, location } of report.diagnostics) rules.set(location.path, [...found(location.path), category])
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('import boundaries', () => {
  test.each(forbidden)('%s may not import %s, not even its types', (at, from) => {
    const index = forbidden.findIndex((pair) => pair[0] === at && pair[1] === from)
    expect(found(fileOf('forbidden', index, at))).toContain('lint/style/noRestrictedImports')
  })

  test.each(allowed)('%s may import %s', (at, from) => {
    const index = allowed.findIndex((pair) => pair[0] === at && pair[1] === from)
    expect(found(fileOf('allowed', index, at))).toEqual([])
  })

  test('workflow code may not use Node', () => {
    expect(found('workflows/node.ts')).toContain('lint/correctness/noNodejsModules')
  })

  test('the environment is read in config files only', () => {
    expect(found('api/routes/environment.ts')).toContain('lint/style/noProcessEnv')
    expect(found('api/config.ts')).toEqual([])
  })
})
