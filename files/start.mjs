import { existsSync } from 'node:fs'

/**
 * Entry of a file process. Where the project runs from TypeScript, tsx is taken off again before libraries are loaded: it
 * would transform pdf.js, which takes 200 MB and a second.
 */

if (existsSync(new URL('./main.js', import.meta.url))) {
  const { serveJobs } = await import('./main.js')
  await serveJobs()
} else {
  const { register } = await import('tsx/esm/api')
  const unregister = register()
  const { serveJobs } = await import('./main.ts')
  await unregister()
  await serveJobs()
}
