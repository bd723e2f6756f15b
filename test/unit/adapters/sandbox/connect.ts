import type { Adapter, AdapterContext, Inbox, StoredNotification } from '../../../../adapters/contract.ts'
import type { SandboxCursor } from '../../../../adapters/sandbox/cursor.ts'
import { sandbox } from '../../../../adapters/sandbox/index.ts'
import { inboxEntry } from '../../../../adapters/sandbox/raw-data.ts'
import type { SandboxSecret } from '../../../../adapters/sandbox/secret.ts'
import { pspFetch } from '../../../../adapters/shared/psp-fetch.ts'

export const NOW = new Date('2026-06-01T12:00:00Z')

/** The engine's inbox of posted raw data, in memory. */
export function memoryInbox() {
  const rows: (StoredNotification & { reference: string })[] = []
  function store(reference: string, body: string) {
    rows.push({ reference, body, position: String(rows.length + 1).padStart(6, '0'), receivedAt: NOW })
  }
  const inbox: Inbox = {
    read: async (after, limit) => rows.filter((row) => after === null || row.position > after).slice(0, limit),
    about: async (reference) => rows.filter((row) => row.reference === reference),
    aboutAll: async (references) =>
      new Map(references.map((reference) => [reference, rows.filter((row) => row.reference === reference)])),
    note: async (reference, body) => store(reference, body),
  }
  return {
    inbox,
    rows,
    /** Stores raw data like operation 21. */
    post(rawData: Record<string, unknown>, requestTimeStamp = '2026-06-01T10:00:00Z', dataSource = 'recoup_sandbox') {
      store(String(rawData.chargebackId), inboxEntry({ dataSource, requestTimeStamp, rawData }))
    },
  }
}

export function connectSandbox(
  overrides: Partial<AdapterContext<SandboxSecret>> = {},
): Required<Adapter<SandboxCursor>> {
  return sandbox.connect({
    secret: { apiKey: 'key-4c1d' },
    externalIdentifier: 'shop-1',
    pspAccount: null,
    baseUrl: null,
    environment: 'sandbox',
    fetch: pspFetch,
    now: () => NOW,
    ...overrides,
  }) as Required<Adapter<SandboxCursor>>
}

/** An open chargeback in the Recoup shape. */
export function rawChargeback(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    chargebackId: 'cb-1',
    currency: 'EUR',
    amount: 10.99,
    postingDate: '2026-05-20T00:00:00Z',
    dueDate: '2026-06-10T00:00:00Z',
    pspStatus: 'needs_response',
    lifecycleStage: 'chargeback',
    transactionId: 'tx-1',
    reasonCode: '10.4',
    cardScheme: 'visa',
    ...changes,
  }
}
