import type { ChargebackFacts } from '../../domain/chargeback.ts'
import type { Adapter, AdapterDefinition } from '../contract.ts'

/**
 * In-memory version of the engine's storage: objects by reference, quarantine and cursor, written together per page.
 */
export interface Store {
  cursor: unknown
  rows: Map<string, { text: string; facts: ChargebackFacts; anomalies: string[] }>
  quarantine: Map<string, { text: string; reason: string }>
}

export function emptyStore(definition: AdapterDefinition, now: Date): Store {
  return { cursor: definition.cursor.initial(now), rows: new Map(), quarantine: new Map() }
}

export interface Ingested {
  pages: number
  handed: number
  created: string[]
  changed: string[]
}

/** Called around the storage of each page; throws to simulate a crash. */
export interface KillPoints {
  beforeStore?(): void
  afterStore?(): void
}

/**
 * Runs a complete poll as the engine does: read a page, translate each object separately, store page and cursor
 * together.
 */
export async function ingest(
  definition: AdapterDefinition,
  adapter: Adapter,
  store: Store,
  kill: KillPoints = {},
): Promise<Ingested> {
  const done: Ingested = { pages: 0, handed: 0, created: [], changed: [] }
  for (let hasMore = true; hasMore; ) {
    const cursor = definition.cursor.schema.parse(JSON.parse(JSON.stringify(store.cursor)))
    const page = await adapter.listDisputes({ cursor, oldestOpen: oldestOpenOf(store) })
    kill.beforeStore?.()
    for (const item of page.items) {
      done.handed++
      const translation = definition.toChargeback(item)
      if (translation.kind === 'unmappable') {
        store.quarantine.set(item.reference ?? item.text, { text: item.text, reason: translation.reason })
        continue
      }
      const { facts, anomalies } = translation
      const before = store.rows.get(facts.chargebackId)
      if (before === undefined) done.created.push(facts.chargebackId)
      else if (before.text !== item.text) done.changed.push(facts.chargebackId)
      store.rows.set(facts.chargebackId, { text: item.text, facts, anomalies })
    }
    store.cursor = page.cursor
    done.pages++
    kill.afterStore?.()
    hasMore = page.hasMore
    if (done.pages > 1000) throw new Error('the list has no end')
  }
  return done
}

function oldestOpenOf(store: Store): Date | null {
  const open = [...store.rows.values()]
    .filter(({ facts }) => ['needs_response', 'under_review', 'unknown'].includes(facts.pspStatus))
    .flatMap(({ facts }) => (facts.postingDate === null ? [] : [Date.parse(facts.postingDate)]))
  return open.length === 0 ? null : new Date(Math.min(...open))
}
