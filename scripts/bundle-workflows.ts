import { writeFileSync } from 'node:fs'
import { bundleWorkflows } from '../workflows/worker/bundle.ts'

/** `tsx scripts/bundle-workflows.ts <file>`: what RECOUP_WORKFLOW_BUNDLE of a worker names. */
const [file] = process.argv.slice(2)
if (!file) throw new Error('Name the file to write.')
writeFileSync(file, await bundleWorkflows())
