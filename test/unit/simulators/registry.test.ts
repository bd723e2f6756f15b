import { expect, test } from 'vitest'
import { adapterFor } from '../../../adapters/registry.ts'
import { SIMULATORS } from '../../../simulators/registry.ts'

test.each(SIMULATORS)('the simulator of $source says whether its PSP has a list of disputes', (definition) => {
  const { source, secretType, notifiesOnly = false } = definition
  expect(notifiesOnly).toBe(adapterFor(source, secretType)?.capabilities.listing === 'inbox')
})
