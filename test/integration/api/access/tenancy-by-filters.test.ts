import { nets } from './nets.ts'

nets.policies = false
await import('./tenancy.test.ts')
