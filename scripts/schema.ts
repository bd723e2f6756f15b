import { join } from 'node:path'
import { runCommand } from '../local/run-command.ts'
import { projectFolder } from '../local/run-script.ts'

export const SCHEMA = 'db/schema.ts'

/**
 * Writes db/schema.ts from the migrated database at `url`; with `check` compares it only.
 * @returns whether the file is now as the database is
 * @throws an Error with the output of kysely-codegen when the file can't be written
 */
export async function generateSchema(url: string, { check }: { check: boolean }): Promise<boolean> {
  const { code, output } = await runCommand(
    join(projectFolder, 'node_modules', '.bin', 'kysely-codegen'),
    [
      ...['--dialect', 'postgres', '--url', url, '--out-file', join(projectFolder, SCHEMA)],
      ...['--type-mapping', '{"int8":"bigint","numeric":"string"}', '--exclude-pattern', 'kysely_*'],
      ...(check ? ['--verify'] : []),
    ],
    { cwd: projectFolder },
  )
  if (code !== 0 && !check) throw new Error(output)
  return code === 0
}
