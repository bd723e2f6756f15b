import { expect, it } from 'vitest'
import { nets, removed } from './nets.ts'

nets.filters = false
await import('./tenancy.test.ts')

it('the filters were taken out of the statements', () => expect(removed.filters).toBeGreaterThan(1_000))
