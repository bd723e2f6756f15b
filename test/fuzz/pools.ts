import { KINDS, type Kind, type RecipeIds } from '../interface/recipes.ts'
import type { Caller } from '../interface/requests.ts'
import { missingIds } from '../interface/resources.ts'
import type { World } from '../interface/world.ts'

/** Ids in responses: by operation, the path to the ids and their kind. */
const NAMED_IN: Record<string, [path: string[], kind: Kind][]> = {
  listChargebacks: [[['data', 'id'], 'chargeback']],
  acceptChargeback: [[['id'], 'accepted']],
  listIntegrations: [[['integrationId'], 'integration']],
  createIntegration: [[['integrationId'], 'integration']],
  uploadFile: [[['id'], 'file']],
  submitEvidence: [[['id'], 'submission']],
  uploadRawData: [[['id'], 'ingestion']],
  listAlerts: [[['data', 'alertId'], 'alert']],
  listMerchants: [[['data', 'merchantUuid'], 'merchant']],
}
/** Maximum ids of a kind; the oldest are dropped, so that requests share resources. */
const KEPT = 120

/** Resources that are known to exist, for later requests. */
export interface Pools {
  learn(operationId: string, body: unknown): void
  add(ids: Partial<RecipeIds>): void
  pick(number: number): RecipeIds
}

export function createPools(): Pools {
  const known = new Map<Kind, string[]>(KINDS.map((kind) => [kind, []]))
  const keep = (kind: Kind, id: string) => {
    const ids = known.get(kind) ?? []
    if (ids.includes(id)) return
    ids.push(id)
    if (ids.length > KEPT) ids.shift()
  }
  return {
    learn(operationId, body) {
      for (const [path, kind] of NAMED_IN[operationId] ?? []) for (const id of follow(body, path)) keep(kind, id)
    },
    add(ids) {
      for (const [kind, id] of Object.entries(ids)) keep(kind as Kind, id)
    },
    pick: (number) => {
      const ids = missingIds()
      for (const [kind, all] of known) if (all.length > 0) ids[kind] = all[number % all.length] as string
      return ids
    },
  }
}

function follow(value: unknown, path: string[]): string[] {
  if (Array.isArray(value)) return value.flatMap((one) => follow(one, path))
  const [step, ...rest] = path
  if (step === undefined) return typeof value === 'string' ? [value] : []
  return typeof value === 'object' && value !== null ? follow((value as Record<string, unknown>)[step], rest) : []
}

/** Every credential with every merchant that it can access. */
export function clientsOf({ tenants, holders }: World): Client[] {
  const pools = new Map(tenants.map((tenant) => [tenant, createPools()]))
  for (const [{ ids }, known] of pools) known.add(ids)
  return holders.flatMap(({ token, reach }) =>
    reach.map((tenant) => ({ token, merchant: tenant.referenceId, pools: pools.get(tenant) as Pools })),
  )
}

/** A caller and its known resources. */
export interface Client extends Caller {
  pools: Pools
}
