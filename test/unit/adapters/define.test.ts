import { expect, test } from 'vitest'
import { z } from 'zod'
import type { Adapter, AdapterDefinition, Capabilities } from '../../../adapters/contract.ts'
import { defineAdapter } from '../../../adapters/define.ts'
import { paypal } from '../../../adapters/paypal/index.ts'

type Methods = Required<Adapter<null>>
const never = () => {
  throw new Error('never called')
}
const reading: Pick<Methods, 'checkCredentials' | 'listDisputes' | 'fetchDispute'> = {
  checkCredentials: never,
  listDisputes: never,
  fetchDispute: never,
}
const { source, displayName, apiVersion, baseUrlVariable, limits, toChargeback, checkConfiguration } = paypal
const common = {
  ...{ source, displayName, apiVersion, baseUrlVariable, limits, toChargeback, translationVersion: 1 },
  secrets: {},
  cursor: { version: 1, schema: z.null(), initial: () => null, migrate: () => null },
  checkConfiguration: checkConfiguration as AdapterDefinition['checkConfiguration'],
  evidence: null,
}
const nothing = {
  listing: 'updated_window',
  maxLookbackDays: 1,
  enrich: false,
  accept: false,
  contest: false,
  notifications: false,
} as const satisfies Capabilities
const accept = { stages: [], idempotent: false } as const

/** tsc does the check: an expected error that is missing is an error. */
test('a definition compiles only if its methods match its capabilities', () => {
  const definitions = [
    defineAdapter({ ...common, capabilities: nothing, connect: () => reading }),
    // @ts-expect-error declared, and no fetchContext
    defineAdapter({ ...common, capabilities: { ...nothing, enrich: true }, connect: () => reading }),
    // @ts-expect-error fetchContext, and not declared
    defineAdapter({ ...common, capabilities: nothing, connect: () => ({ ...reading, fetchContext: never }) }),
    // @ts-expect-error declared, and no acceptDispute
    defineAdapter({ ...common, capabilities: { ...nothing, accept }, connect: () => ({ ...reading, probe: never }) }),
    defineAdapter({
      ...common,
      capabilities: { ...nothing, accept },
      connect: () => ({ ...reading, acceptDispute: never, probe: never }),
    }),
    defineAdapter({
      ...common,
      capabilities: { ...nothing, notifications: { signature: 'hmac' } },
      // @ts-expect-error declared, and none that verifies
      connect: () => ({ ...reading, readNotification: never }),
    }),
  ]
  expect(definitions.map((definition) => definition.source)).toEqual(definitions.map(() => 'paypal'))
})
