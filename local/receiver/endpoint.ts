import type { DataFolder } from '../data-folder.ts'
import type { Demo } from '../seed.ts'

/** The receiver's webhook endpoint; kept, because its secret is shown only once. */
interface ReceiverEndpoint {
  accountId: string
  endpointId: string
  url: string
  secret: string
}

const FILE = 'receiver.json'

/**
 * The secret of the webhook endpoint that sends all events of the demo account to the receiver: created once, moved when
 * the receiver's address has changed.
 */
export async function receiverSecret(
  { accountId, tokens }: Demo,
  folder: DataFolder,
  { apiUrl, url }: { apiUrl: string; url: string },
): Promise<string> {
  const known = folder.read<ReceiverEndpoint>(FILE)
  const call = async (method: string, path: string, body: object) => {
    const response = await fetch(`${apiUrl}/webhook-endpoints${path}`, {
      method,
      headers: { authorization: `Bearer ${tokens.account}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(30_000),
    })
    const text = await response.text()
    if (!response.ok && response.status !== 404)
      throw new Error(`${method} ${apiUrl}/webhook-endpoints${path} answered ${response.status}: ${text.slice(0, 500)}`)
    return response.ok ? (JSON.parse(text) as { id: string; secret: string }) : null
  }
  if (known?.accountId === accountId && known.url === url) return known.secret
  // 404: somebody has deleted it.
  if (known?.accountId === accountId && (await call('PATCH', `/${known.endpointId}`, { url }))) {
    folder.write(FILE, { ...known, url })
    return known.secret
  }
  const made = await call('POST', '', { url, events: ['*'], description: 'Prints each event' })
  if (!made) throw new Error(`POST ${apiUrl}/webhook-endpoints answered 404`)
  folder.write(FILE, { accountId, endpointId: made.id, url, secret: made.secret } satisfies ReceiverEndpoint)
  return made.secret
}
