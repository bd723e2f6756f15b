/** The text of db/migrations/index.ts: every numbered migration of the folder, in order. */
export function migrationsIndex(files: readonly string[]): string {
  const names = files
    .filter((file) => /^\d{4}-[a-z0-9-]+\.ts$/.test(file))
    .map((file) => file.slice(0, -'.ts'.length))
    .sort()
  const imports = names.map((name) => `import * as ${camelCase(name)} from './${name}.ts'`)
  const rows = names.map((name) => `  '${name}': ${camelCase(name)},`)
  return `import type { Migration } from 'kysely'
${imports.join('\n')}

/**
 * One step of the schema. A \`concurrent\` one runs outside a transaction, because it makes indexes concurrently: every
 * statement of it must be repeatable.
 */
export interface Step extends Migration {
  concurrent?: true
}

/** In order of their names; applied ones never change. Written by \`npm run generate\` from the names of the files. */
export const migrations: Record<string, Step> = {
${rows.join('\n')}
}
`
}

/** \`0012-who-paused\` is \`whoPaused\`. */
const camelCase = (name: string) =>
  name.slice('0000-'.length).replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
