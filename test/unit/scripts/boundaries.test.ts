import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { projectFolder } from '../../../local/run-script.ts'
import { boundaryFaults, circleFaults, ROOMS, roomOf } from '../../../scripts/boundaries.ts'

/** One real file of each room. */
const SAMPLES = [
  ...['domain/chargeback.ts', 'adapters/contract.ts', 'adapters/shared/http.ts', 'adapters/registry.ts'],
  ...['stripe', 'paypal', 'braintree', 'adyen', 'sandbox'].flatMap((psp) => [
    `adapters/${psp}/index.ts`,
    `simulators/${psp}/index.ts`,
  ]),
  ...['adapters/conformance/run.ts', 'adapters/conformance/subject.ts', 'simulators/registry.ts'],
  ...['simulators/engine/engine.ts', 'db/core/connect.ts', 'process/log.ts'],
  'webhooks/sequence.ts',
  ...['files/processes.ts', 'files/perform.ts'],
  ...['workflows/definitions/index.ts', 'workflows/contract.ts', 'workflows/starters/dispatch.ts'],
  ...['workflows/activities/psp.ts', 'workflows/worker/main.ts', 'api/routes/alerts/alerts.ts', 'cli/keys.ts'],
]
const path = (from: string, to: string) => {
  const found = relative(dirname(from), to)
  return found.startsWith('.') ? found : `./${found}`
}
const faults = (from: string, specifier: string, type = '') =>
  boundaryFaults([{ path: from, text: `import ${type}{ a } from '${specifier}'\n` }])

/** What each room may import besides itself: the rows of docs/decisions/0033. */
const MAY: Record<string, string[]> = {
  domain: [],
  adapters: ['domain'],
  'adapters/registry': ['domain', 'adapters', 'adapters/psp'],
  'adapters/psp': ['domain', 'adapters'],
  'simulators/psp': ['domain', 'adapters', 'adapters/psp', 'simulators/engine', 'adapters/conformance/subject'],
  'simulators/registry': ['simulators/engine', 'simulators/psp'],
  'adapters/conformance/subject': ['adapters', 'simulators/engine'],
  'adapters/conformance': [
    ...['domain', 'adapters', 'adapters/registry', 'adapters/psp', 'simulators/engine', 'simulators/psp'],
    ...['adapters/conformance/subject', 'simulators/registry'],
  ],
  'simulators/engine': ['domain'],
  db: ['domain'],
  webhooks: ['domain', 'db', 'process'],
  process: ['domain', 'db'],
  'files/processes': ['domain'],
  files: ['domain', 'files/processes'],
  'workflows/definitions': ['domain', 'workflows/contract'],
  'workflows/contract': ['domain'],
  'workflows/starters': ['domain', 'db', 'process', 'workflows/contract'],
  'workflows/activities': [
    ...['domain', 'db', 'process', 'files/processes', 'adapters', 'adapters/registry', 'workflows/contract'],
    'workflows/starters',
  ],
  'workflows/worker': [
    ...[
      'domain',
      'db',
      'process',
      'webhooks',
      'files/processes',
      'adapters',
      'adapters/registry',
      'workflows/contract',
    ],
    ...['workflows/starters', 'workflows/activities'],
  ],
  api: [
    ...[
      'domain',
      'db',
      'process',
      'webhooks',
      'files/processes',
      'adapters',
      'adapters/registry',
      'workflows/contract',
    ],
    'workflows/starters',
  ],
  cli: [
    'domain',
    'db',
    'process',
    'webhooks',
    'files/processes',
    'adapters',
    'adapters/registry',
    'workflows/contract',
    'workflows/starters',
  ],
}
const nameOf = (file: string) =>
  (roomOf(file)?.name ?? '').replace(/^(adapters|simulators)\/(stripe|paypal|braintree|adyen|sandbox)$/, '$1/psp')
const pspOf = (file: string) => /\/(stripe|paypal|braintree|adyen|sandbox)\//.exec(file)?.[1]

describe('rooms', () => {
  test('every row has a file, and every sample exists', () => {
    const psps = ['stripe', 'paypal', 'braintree', 'adyen', 'sandbox'].flatMap((psp) => [
      `adapters/${psp}`,
      `simulators/${psp}`,
    ])
    const names = [...ROOMS.map(({ name }) => name), ...psps]
    expect([...new Set(SAMPLES.map((file) => roomOf(file)?.name))].sort()).toEqual(names.sort())
    expect(SAMPLES.filter((file) => !existsSync(join(projectFolder, file)))).toEqual([])
  })

  const pairs = SAMPLES.flatMap((from) => SAMPLES.filter((to) => to !== from).map((to) => [from, to] as const))
  test.each(pairs)('an import in %s of %s', (from, to) => {
    const [ours, other] = [nameOf(from), nameOf(to)]
    const samePsp = pspOf(from) === pspOf(to) || !(ours.endsWith('psp') && other.endsWith('psp'))
    const may = roomOf(from)?.name === roomOf(to)?.name || (samePsp && (MAY[ours] ?? []).includes(other))
    expect(faults(from, path(from, to))).toHaveLength(may ? 0 : 1)
    const typesMay = may || (ours === 'workflows/definitions' && other === 'workflows/activities')
    expect(faults(from, path(from, to), 'type ')).toHaveLength(typesMay ? 0 : 1)
  })

  test.each([
    ['domain/chargeback.ts', 'node:fs'],
    ['domain/chargeback.ts', 'kysely'],
    ['adapters/contract.ts', 'stripe'],
    ['adapters/stripe/index.ts', 'braintree'],
    ['adapters/adyen/index.ts', '@temporalio/activity'],
    ['simulators/paypal/index.ts', 'stripe'],
    ['simulators/paypal/index.ts', 'paypalish'],
    ['adapters/toypay/index.ts', '../stripe/index.ts'],
    ['simulators/toypay/index.ts', '../../db/core/connect.ts'],
    ['db/core/connect.ts', 'pino'],
    ['workflows/definitions/index.ts', 'node:fs'],
    ['workflows/definitions/index.ts', 'zod'],
    ['workflows/activities/psp.ts', 'kysely'],
    ['api/routes/alerts/alerts.ts', 'pg'],
    ['api/routes/alerts/alerts.ts', '../../../local/stack.ts'],
    ['cli/keys.ts', 'pg/lib/client'],
    // Finding 1: uploaded files are parsed only in a process that can be killed.
    ['files/processes.ts', './perform.ts'],
    ['files/processes.ts', 'pdfjs-dist/legacy/build/pdf.mjs'],
    ['api/files/file-inspection.ts', '../../files/inspect.ts'],
    ['api/files/file-inspection.ts', 'sharp'],
    ['workflows/activities/commands/documents.ts', '../../../files/pdf-pages.ts'],
    ['workflows/activities/commands/documents.ts', '@cantoo/pdf-lib'],
  ])('%s may not import %s', (from, specifier) => {
    expect(faults(from, specifier)).toHaveLength(1)
  })

  test('an import in any form is found', () => {
    const texts = [
      `export { a } from 'pg'`,
      `export * from 'pg'`,
      `import 'pg'`,
      `const a = await import('pg')`,
      `import pg from 'pg'`,
      `import {\n  a,\n  type B,\n} from 'pg'`,
      `import * as pg from 'pg'`,
    ]
    for (const text of texts) expect(boundaryFaults([{ path: 'api/app.ts', text }])).toHaveLength(1)
  })
})

describe('circular imports', () => {
  test('are found at any length, also of types; a chain that does not return is not reported', () => {
    const file = (name: string, other: string) => ({
      path: `db/${name}.ts`,
      text: `import type { a } from './${other}.ts'`,
    })
    expect(circleFaults([file('a', 'b'), file('b', 'c'), file('c', 'd')])).toEqual([])
    expect(circleFaults([file('a', 'b'), file('b', 'c'), file('c', 'b')])).toEqual([
      'a circle of imports: db/b.ts → db/c.ts → db/b.ts',
    ])
  })
})

describe('the linter', () => {
  const folder = mkdtempSync(join(tmpdir(), 'recoup-boundaries-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  test('lets only config files read the environment, and refuses Node modules in workflow code', () => {
    const environment = 'export const a = process.env.A\n'
    const files: Record<string, string> = {
      'api/routes/environment.ts': environment,
      'api/config.ts': environment,
      'workflows/definitions/node.ts': "import { join } from 'node:path'\nexport const b = join\n",
    }
    cpSync(join(projectFolder, 'biome.json'), join(folder, 'biome.json'))
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(join(folder, dirname(name)), { recursive: true })
      writeFileSync(join(folder, name), text)
    }
    const biome = join(projectFolder, 'node_modules/.bin/biome')
    const run = spawnSync(biome, ['lint', '--reporter=json', '.'], { cwd: folder, encoding: 'utf8' })
    const { diagnostics } = JSON.parse(run.stdout) as {
      diagnostics: { category: string; location: { path: string } }[]
    }
    expect(diagnostics.map(({ category, location }) => [location.path, category]).sort()).toEqual([
      ['api/routes/environment.ts', 'lint/style/noProcessEnv'],
      ['workflows/definitions/node.ts', 'lint/correctness/noNodejsModules'],
    ])
  })
})
