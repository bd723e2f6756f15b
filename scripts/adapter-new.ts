import { runCommand } from '../local/run-command.ts'
import { projectFolder } from '../local/run-script.ts'
import { namesOf, writeSkeleton } from './adapter-skeleton.ts'

/**
 * `npm run adapter:new -- <source>`: creates the files of a new adapter, with failing tests, and prints the next steps.
 */
const [source] = process.argv.slice(2)

try {
  if (source === undefined) throw new Error('Name the new source: npm run adapter:new -- shop_pay')
  const names = namesOf(source)
  const written = writeSkeleton(projectFolder, names)
  // Names differ in length, so lines and imports are formatted.
  const biome = ['check', '--write', ...written.filter((path) => path.endsWith('.ts'))]
  await runCommand('node_modules/.bin/biome', biome, { cwd: projectFolder })
  console.log(`${written.map((path) => `  ${path}`).join('\n')}

Next, as docs/adapters.md tells in full:
  1. npm run adapter:check -- ${names.source}      every suite is red
  2. Say what ${names.pascal} says: vocabulary.ts, translate.ts, secret.ts, and the paths in client.ts.
  3. Simulate it: keys.ts, situations.ts and dispute.ts in simulators/${names.folder}; then be as strict as it is.
  4. npm run adapter:check -- ${names.source}      until nothing fails; each surprise is a line of BEHAVIOR.md
  5. Register it: one line in adapters/registry.ts; then npm run generate.`)
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
}
