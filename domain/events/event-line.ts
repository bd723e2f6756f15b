/** An event as the log and the webhooks show it. */
export interface EventBody {
  type: string
  timestamp: string
  /** Absent in a test of an endpoint. */
  referenceAccountId?: string
  data: Record<string, unknown> & { changes?: { what: string }[] }
}

/** Time, type, merchant, the object by the PSP's id or its own, and what happened; no control characters. */
export function eventLine({ type, timestamp, referenceAccountId, data }: EventBody): string {
  const { changes = [], ...objects } = data
  const object = Object.values(objects).find((one) => typeof one === 'object') as Record<string, unknown> | undefined
  const subject =
    object?.chargebackId ??
    object?.providerAlertId ??
    data.chargebackId ??
    object?.integrationName ??
    data.webhookEndpointId
  const money = object?.amount === undefined ? [] : [`${object.amount} ${object.currency}`]
  const what = [...new Set(changes.map((one) => one.what))].join(', ')
  return [
    ...[timestamp.slice(0, 19).replace('T', ' '), type.padEnd(28), referenceAccountId ?? '-'],
    ...[subject ?? object?.removalId ?? object?.status].filter(Boolean).map(String),
    ...[...money, what].filter(Boolean),
  ]
    .join('  ')
    .replaceAll(/\p{C}/gu, '')
}
