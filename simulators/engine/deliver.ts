export interface Delivery {
  id: string
  type: string
  /** HTTP status of the receiver; null when it could not be reached. */
  status: number | null
}

/** Posts one notification; a receiver that can't be reached has no status. */
export async function deliver(
  url: string,
  { event, body, headers }: { event: { id: string; type: string }; body: string; headers: Record<string, string> },
): Promise<Delivery> {
  const { id, type } = event
  try {
    const answer = await fetch(url, { method: 'POST', body, headers, signal: AbortSignal.timeout(10_000) })
    await answer.arrayBuffer()
    return { id, type, status: answer.status }
  } catch {
    return { id, type, status: null }
  }
}
