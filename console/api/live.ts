import { call } from './call.ts'
import { CallFailure } from './failure.ts'
import type { Schemas } from './operations.ts'

const WAIT_SECONDS = 25
/** Events of one moment are told together: an import has thousands. */
const GATHER_MS = 1_000
const LONGEST_PAUSE_MS = 30_000

/** What one tab tells the others. */
interface Told {
  merchant: string | undefined
  /** Beginnings of cache keys whose data changed. */
  prefixes: string[]
}

/** Time of the last answer of the event log, here or in the tab that asks for all, ms. */
let heardAt = Number.NEGATIVE_INFINITY

/** Whether events report changes, so that polls are needed seldom. */
export const isLive = (): boolean => Date.now() - heardAt < (WAIT_SECONDS + 10) * 1_000

/** Reads whose data an event changes. */
export function changedBy({ type, data }: Schemas['Event']): string[] {
  const [subject = ''] = type.split('.')
  const id = 'chargebackId' in data ? data.chargebackId : undefined
  if (id === undefined) return LISTS[subject] ?? []
  const about = JSON.stringify({ id })
  return [...CASE.map((name) => `${name} ${about}`), ...(LISTS.chargeback ?? [])]
}
const CASE = [
  ...['readChargeback', 'readAssessment', 'readTimeline', 'readDataPoints', 'readAcceptance'],
  ...['readEvidenceDraft', 'listEvidenceSubmissions'],
]
const LISTS: Record<string, string[]> = {
  chargeback: ['listChargebacks ', 'readSummary ', 'readChargebackRatio '],
  alert: ['listAlerts ', 'readAlert '],
  integration: ['listIntegrations ', 'readIntegration '],
  webhook_endpoint: ['listWebhookEndpoints ', 'readWebhookEndpoint '],
}

interface LiveOptions {
  merchant: string | undefined
  onChange: (prefix: string) => void
}

/**
 * Hears of changes while the page is visible: one visible tab waits for events, and tells the others.
 * @returns a function that ends it
 */
export function startLive({ merchant, onChange }: LiveOptions): () => void {
  const channel = new BroadcastChannel('recoup-live')
  const act = (prefixes: readonly string[]) => {
    heardAt = Date.now()
    for (const prefix of prefixes) onChange(prefix)
  }
  channel.onmessage = ({ data }: MessageEvent<Told>) => data.merchant === merchant && act(data.prefixes)
  let running: AbortController | undefined
  const toldOf = (prefixes: string[]) => {
    act(prefixes)
    channel.postMessage({ merchant, prefixes } satisfies Told)
  }
  const seen = () => {
    running?.abort()
    if (document.visibilityState !== 'visible') return
    running = new AbortController()
    const { signal } = running
    // Where there are no locks, as on an address without encryption, each visible tab asks for itself.
    const asked = navigator.locks?.request(`recoup-live ${merchant}`, { signal }, () =>
      listen(merchant, signal, toldOf),
    )
    void (asked ?? listen(merchant, signal, toldOf)).catch(() => {})
  }
  seen()
  document.addEventListener('visibilitychange', seen)
  return () => {
    document.removeEventListener('visibilitychange', seen)
    running?.abort()
    channel.close()
    heardAt = Number.NEGATIVE_INFINITY
  }
}

/** Waits for events until the signal; after a failure, 1 to 30 seconds later again. */
async function listen(merchant: string | undefined, signal: AbortSignal, onChanged: (prefixes: string[]) => void) {
  let after = 'latest'
  let failures = 0
  while (!signal.aborted) {
    try {
      const wait = after === 'latest' ? 0 : WAIT_SECONDS
      const query = { after, wait, limit: 100 }
      const page = await call('listEvents', { query, merchant, signal, background: true })
      after = page.nextCursor
      failures = 0
      onChanged([...new Set(page.data.flatMap(changedBy))])
      if (page.data.length > 0) await pause(GATHER_MS, signal)
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof CallFailure && [401, 403].includes(error.status)) return
      // The log is shorter than the pause was: all is read again.
      if (error instanceof CallFailure && error.status === 410) {
        after = 'latest'
        onChanged([''])
        continue
      }
      failures++
      await pause(pauseAfter(failures), signal)
    }
  }
}

/** ms, with jitter: the pages of all people would come back at once. */
export function pauseAfter(failures: number, random = Math.random()): number {
  return Math.min(LONGEST_PAUSE_MS, 1_000 * 2 ** (failures - 1)) * (0.5 + random / 2)
}

const pause = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
