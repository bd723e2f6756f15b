import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { provideCompiledCode } from './provide.mjs'

/** Run by `npm install`: makes from the code what the first `npm start` would make. */
const project = join(import.meta.dirname, '..', '..')
// Without the tools of development nothing can be compiled, and nobody starts Recoup this way.
if (existsSync(join(project, 'node_modules', 'tsx'))) {
  try {
    const code = await provideCompiledCode(project)
    const { provideBundles } = await import(join(code, 'local', 'bundles', 'provide.js'))
    await provideBundles(code)
  } catch (error) {
    // npm start tries it again; what was installed is complete.
    console.error(error.message)
  }
}
