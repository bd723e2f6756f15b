import { startWorker } from './start.ts'

await startWorker()
