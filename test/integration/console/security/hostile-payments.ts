import type { Adapter, AdapterDefinition, RawObject } from '../../../../adapters/contract.ts'
import type { JsonObject } from '../../../../simulators/engine/contract.ts'
import type { ActivityDeps } from '../../../../workflows/activities/deps.ts'
import { unlimited } from '../../../harness/unlimited.ts'

/** Fields whose values an adapter needs unchanged: with others it reads no payment. */
const UNDERSTOOD = ['eventCode', 'eventDate', 'success']

/**
 * Adapters whose PSP has a text in each field of a dispute's payment: buyers and merchants fill most of them.
 * @param textOf the text for the payment of a dispute, by the PSP's id of the dispute
 */
export function paymentsFilledWith(textOf: (reference: string) => string | undefined): ActivityDeps['adapterFor'] {
  return (source, secretType) => {
    const definition = unlimited(source, secretType)
    return definition && { ...definition, connect: (context) => filling(definition.connect(context), textOf) }
  }
}

type Connected = ReturnType<AdapterDefinition['connect']>

const filling = (adapter: Connected, textOf: (reference: string) => string | undefined): Connected =>
  new Proxy(adapter, {
    get(target, name: keyof Adapter) {
      if (name !== 'fetchContext') return Reflect.get(target, name)
      return async (dispute: RawObject) => {
        const payment = await target.fetchContext?.(dispute)
        const text = textOf(dispute.reference ?? '')
        return payment && text !== undefined ? { ...payment, text: filled(payment.text, text) } : payment
      }
    },
  })

/** The same JSON with each string replaced by `text`, except in the fields of `UNDERSTOOD`. */
function filled(payment: string, text: string): string {
  const replaced = (name: string, value: unknown) =>
    typeof value === 'string' && !UNDERSTOOD.includes(name) ? text : value
  return JSON.stringify(JSON.parse(payment) as JsonObject, replaced)
}
