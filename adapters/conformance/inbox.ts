import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Adapter, Inbox, StoredNotification } from '../contract.ts'

/** In-memory version of the engine's inbox: verifies notifications, stores each once, indexes them by reference. */
export interface MemoryInbox extends Inbox {
  /** @returns false for a notification that is not genuine */
  receive(request: { body: string; headers: Record<string, string> }): Promise<boolean>
}

export function openInbox(
  adapter: () => Pick<Adapter, 'verifyNotification' | 'readNotification'>,
  now: () => Date,
  /** Resolves when everything sent has arrived. */
  arrived: () => Promise<void>,
): MemoryInbox {
  const rows: StoredNotification[] = []
  const byReference = new Map<string, StoredNotification[]>()
  const ids = new Set<string>()
  function store(references: readonly string[], body: string): void {
    const row = { position: String(rows.length + 1).padStart(9, '0'), receivedAt: now(), body }
    rows.push(row)
    for (const reference of references) byReference.set(reference, [...(byReference.get(reference) ?? []), row])
  }
  return {
    async receive(request) {
      const { verifyNotification, readNotification } = adapter()
      if (!verifyNotification || !readNotification) return false
      try {
        const envelope = await verifyNotification(request)
        if (ids.has(envelope.id)) return true
        store(readNotification(envelope).references, envelope.body)
        ids.add(envelope.id)
        return true
      } catch {
        return false
      }
    },
    async read(after, limit) {
      await arrived()
      const start = after === null ? 0 : Number(after)
      return rows.slice(start, start + limit)
    },
    async about(reference) {
      await arrived()
      return byReference.get(reference) ?? []
    },
    async aboutAll(references) {
      await arrived()
      const found = references.flatMap((reference) => {
        const about = byReference.get(reference)
        return about ? [[reference, about] as const] : []
      })
      return new Map(found)
    },
    async note(reference, body) {
      store([reference], body)
    },
  }
}

/** An HTTP endpoint for notifications, one path per account, as the engine has. */
export async function openReceiver(
  inboxOf: (account: string) => MemoryInbox | undefined,
): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)])
    const inbox = inboxOf(decodeURIComponent(request.url?.slice(1) ?? ''))
    const body = Buffer.concat(chunks).toString('utf8')
    const genuine = await inbox?.receive({ body, headers: Object.fromEntries(headers) })
    response.statusCode = genuine ? 202 : 401
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
