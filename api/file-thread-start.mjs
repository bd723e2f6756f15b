// A thread doesn't inherit the loader that its process was started with: it brings its own.
import { register } from 'tsx/esm/api'

register()
await import('./file-thread.ts')
