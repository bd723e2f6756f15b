import { renameSync, writeFileSync } from 'node:fs'
import { bundleWorkflows } from '../../workflows/worker/bundle.ts'

/** `write.ts <file>`, of provide.ts. Renamed, so that the file is always complete. */
const [file] = process.argv.slice(2)
if (!file) throw new Error('usage: write.ts <file>')
writeFileSync(`${file}.partial`, await bundleWorkflows())
renameSync(`${file}.partial`, file)
