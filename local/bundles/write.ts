import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { BUNDLE_FOLDER, writeBundle } from '../../api/console/bundle.ts'
import { bundleWorkflows } from '../../workflows/worker/bundle.ts'

/** `write.ts <file>`, of provide.ts. Renamed, so that all is complete whenever it is there; the file is written last. */
const [file] = process.argv.slice(2)
if (!file) throw new Error('usage: write.ts <file>')
const own = (path: string) => `${path}.${process.pid}`
if (!existsSync(BUNDLE_FOLDER)) {
  await writeBundle(own(BUNDLE_FOLDER))
  try {
    renameSync(own(BUNDLE_FOLDER), BUNDLE_FOLDER)
  } catch (error) {
    // Another start has written it meanwhile.
    if (!existsSync(BUNDLE_FOLDER)) throw error
    rmSync(own(BUNDLE_FOLDER), { recursive: true })
  }
}
writeFileSync(own(file), await bundleWorkflows())
renameSync(own(file), file)
