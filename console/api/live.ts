import { call } from './call.ts'
import { CallFailure } from './failure.ts'
import type { Schemas } from './operations.ts'
import { pauseAfter } from './pause.ts'

const WAIT_SECONDS = 25
/** Events of one moment are told together: an import has thousands. */
const GATHER_MS = 1_000

/** What one tab tells the others. */
interface Told {
  merchant: string | undefined
  /** Beginnings of cache keys whose data changed. */
  prefixes: string[]
  /** The log is heard from now on: what happened before is not known. */
  begins: boolean
}

/** Time of the last answer of the event log, here or in the tab that asks for all, ms. */
let heardAt = Number.NEGATIVE_INFINITY

/** Time of the last change of a chargeback that is known of, or of what may be unknown, ms. */
let changedAt = Number.NEGATIVE_INFINITY

/** Whether a chargeback may have changed since: false only if events were heard all the time, and informed about none. */
export const mayHaveChanged = (since: number): boolean => !isLive() || changedAt >= since

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
const LIST = 'listChargebacks '
const LISTS: Record<string, string[]> = {
  chargeback: [LIST, 'readSummary ', 'readChargebackRatio '],
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
  const act = ({ prefixes, begins }: Pick<Told, 'prefixes' | 'begins'>) => {
    heardAt = Date.now()
    if (begins || prefixes.some((one) => LIST.startsWith(one))) changedAt = heardAt
    for (const prefix of prefixes) onChange(prefix)
  }
  channel.onmessage = ({ data }: MessageEvent<Told>) => data.merchant === merchant && act(data)
  let running: AbortController | undefined
  const toldOf = (prefixes: string[], begins: boolean) => {
    act({ prefixes, begins })
    channel.postMessage({ merchant, prefixes, begins } satisfies Told)
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

type OnChanged = (prefixes: string[], begins: boolean) => void

/** Waits for events until the signal; after a failure, 1 to 30 seconds later again. */
async function listen(merchant: string | undefined, signal: AbortSignal, onChanged: OnChanged) {
  let after = 'latest'
  let failures = 0
  while (!signal.aborted) {
    try {
      const wait = after === 'latest' ? 0 : WAIT_SECONDS
      const query = { after, wait, limit: 100 }
      const page = await call('listEvents', { query, merchant, signal, background: true })
      failures = 0
      onChanged([...new Set(page.data.flatMap(changedBy))], after === 'latest')
      after = page.nextCursor
      if (page.data.length > 0) await pause(GATHER_MS, signal)
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof CallFailure && [401, 403].includes(error.status)) return
      // The log is shorter than the pause was: all is read again.
      if (error instanceof CallFailure && error.status === 410) {
        after = 'latest'
        onChanged([''], true)
        continue
      }
      failures++
      await pause(pauseAfter(failures), signal)
    }
  }
}

const pause = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
