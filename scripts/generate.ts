import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SUBJECTS } from '../adapters/conformance/subjects.ts'
import { openApiDocument } from '../api/http/openapi.ts'
import { benchmarksDocument } from '../bench/runner/results.ts'
import { fontInfos } from '../files/evidence/font-infos.ts'
import { projectFolder } from '../local/run-script.ts'
import { capabilitiesDocument, proveAll } from './capabilities.ts'
import { consoleOperations } from './console-operations.ts'
import { DASHBOARDS, dashboardFile } from './dashboards.ts'
import { environmentDocument } from './environment.ts'
import { evidenceGuide } from './evidence-guide.ts'
import { migrationsIndex } from './migrations-index.ts'
import { generateSchema, SCHEMA } from './schema.ts'

/**
 * `npm run generate`: writes what is made from code, and db/schema.ts from the migrated database that DATABASE_URL
 * names, if it names one. `--check` writes nothing and fails when something is out of date; `--fast` leaves out what
 * takes a minute.
 */
const GENERATED: Record<string, () => string> = {
  'docs/openapi.json': () => `${JSON.stringify(openApiDocument(), null, 2)}\n`,
  'console/api/operations.ts': () => consoleOperations(),
  'docs/environment.md': environmentDocument,
  'docs/evidence.md': evidenceGuide,
  'docs/benchmarks.md': benchmarksDocument,
  'db/migrations/index.ts': () => migrationsIndex(readdirSync(join(projectFolder, 'db', 'migrations'))),
  ...Object.fromEntries(
    Object.keys(DASHBOARDS).map((name) => [`deploy/grafana/${name}.json`, () => dashboardFile(name)]),
  ),
}

/** What takes a minute to make: not compared by `--check`, which `npm run verify` runs, but by `npm test`. */
const SLOW: Record<string, () => Promise<string>> = {
  'files/evidence/fonts/infos.json': fontInfos,
  'docs/capabilities.md': async () => capabilitiesDocument(await proveAll(SUBJECTS)),
}

const check = process.argv.includes('--check')
const stale: string[] = []
for (const [path, make] of Object.entries(GENERATED)) {
  const file = join(projectFolder, path)
  const text = make()
  if (existsSync(file) && readFileSync(file, 'utf8') === text) continue
  if (check) stale.push(path)
  else writeFileSync(file, text)
}
const fast = process.argv.includes('--fast')
if (!check && !fast)
  for (const [path, make] of Object.entries(SLOW)) writeFileSync(join(projectFolder, path), await make())

const url = process.env.DATABASE_URL
if (url && !(await generateSchema(url, { check }))) stale.push(SCHEMA)
if (stale.length > 0) {
  console.error(`Out of date: ${stale.join(', ')}. Run npm run generate.`)
  process.exitCode = 1
}
