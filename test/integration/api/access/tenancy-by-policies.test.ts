import { expect, it } from 'vitest'
import { removed } from './isolation-layers.ts'
import { tenancySuite } from './tenancy-suite.ts'

tenancySuite({ filters: false, policies: true })

it('the filters were removed from the statements', () => expect(removed.filters).toBeGreaterThan(1_000))
