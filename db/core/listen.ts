import pg from 'pg'

const RECONNECT_MS = 1_000

/**
 * Calls `heard` on each NOTIFY of a channel, over a dedicated connection that reconnects after an outage; without a
 * payload when it has connected, because messages may have been lost.
 */
export function listen(url: string, channel: string, heard: (payload?: string) => void): AsyncDisposable {
  let client: pg.Client | null = null
  let timer: NodeJS.Timeout | undefined
  let stopped = false

  const open = async () => {
    if (stopped) return
    const opened = new pg.Client({ connectionString: url, keepAlive: true, connectionTimeoutMillis: 5_000 })
    let lost = false
    const lose = () => {
      if (lost) return
      lost = true
      opened.end().catch(() => {})
      if (!stopped)
        timer = setTimeout(() => {
          opening = open()
        }, RECONNECT_MS)
    }
    opened.on('error', lose)
    opened.on('end', lose)
    opened.on('notification', ({ payload }) => heard(payload))
    try {
      await opened.connect()
      await opened.query(`listen ${pg.escapeIdentifier(channel)}`)
      client = opened
      if (!stopped) heard()
    } catch {
      lose()
    }
  }
  let opening = open()

  return {
    async [Symbol.asyncDispose]() {
      stopped = true
      clearTimeout(timer)
      await opening
      await client?.end().catch(() => {})
    },
  }
}
