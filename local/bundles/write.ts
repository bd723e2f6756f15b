import { existsSync, renameSync, writeFileSync } from 'node:fs'
import { BUNDLE_FOLDER, writeBundle } from '../../api/console/bundle.ts'
import { bundleWorkflows } from '../../workflows/worker/bundle.ts'

/** `write.ts <file>`, of provide.ts. Renamed, so that the file is always complete; it is written last. */
const [file] = process.argv.slice(2)
if (!file) throw new Error('usage: write.ts <file>')
const own = (path: string) => `${path}.${process.pid}`
if (!existsSync(BUNDLE_FOLDER)) {
  await writeBundle(own(BUNDLE_FOLDER))
  renameSync(own(BUNDLE_FOLDER), BUNDLE_FOLDER)
}
writeFileSync(own(file), await bundleWorkflows())
renameSync(own(file), file)
