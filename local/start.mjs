import { join } from 'node:path'
import { provideCompiledCode } from './compiled-code/provide.mjs'

/** `npm start`: compiles what has changed, then runs the supervisor. */
try {
  const code = await provideCompiledCode(join(import.meta.dirname, '..'))
  await import(join(code, 'local', 'main.js'))
} catch (error) {
  console.error(error.message)
  process.exit(1)
}
