import { startApi } from './start.ts'

startApi()
