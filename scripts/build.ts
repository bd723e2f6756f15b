import { cpSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { BUNDLE_FOLDER, writeBundle } from '../api/console/bundle.ts'
import { BUILD_FILES } from '../local/compiled-code/build-files.ts'
import { runCommand } from '../local/run-command.ts'
import { projectFolder } from '../local/run-script.ts'
import { BUNDLE_FILE, bundleWorkflows } from '../workflows/worker/bundle.ts'

/**
 * `npm run build [-- --demo]`: JavaScript of everything that api, worker, command line and file processes import, with
 * the workflow bundle, into build/. `--demo` adds the simulated PSPs and what connects them.
 */
const { values } = parseArgs({ options: { demo: { type: 'boolean', default: false } } })
const out = join(projectFolder, 'build')

async function compile(config: string): Promise<void> {
  const tsc = join(projectFolder, 'node_modules', '.bin', 'tsc')
  const { code, output } = await runCommand(tsc, ['--project', config], { cwd: projectFolder })
  if (code !== 0) throw new Error(`tsc --project ${config} failed:\n${output}`)
}

if (values.demo) await compile('tsconfig.demo.json')
else {
  rmSync(out, { recursive: true, force: true })
  const [code] = await Promise.all([bundleWorkflows(), compile('tsconfig.build.json')])
  writeFileSync(join(out, relative(projectFolder, BUNDLE_FILE)), code)
  await writeBundle(join(out, relative(projectFolder, BUNDLE_FOLDER)))
  // What the renderer of evidence reads next to itself.
  for (const path of BUILD_FILES) cpSync(join(projectFolder, path), join(out, path), { recursive: true })
}
