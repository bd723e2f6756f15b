import { setTimeout as sleep } from 'node:timers/promises'
import { type EventPage, readEvents } from '../../../db/events/log.ts'
import type { ApiDeps } from '../../context.ts'

/** A pooler keeps no LISTEN, and a NOTIFY is lost while the listener reconnects: look again after that time. */
const LOOK_AGAIN_MS = 5_000

export interface Waiting {
  waitMs: number
  /** The client left. */
  signal: AbortSignal
}

/** The next page of the merchant's events; an empty one is answered only when the time to wait is over. */
export async function waitForEvents(
  { db, events: bell }: Pick<ApiDeps, 'db' | 'events'>,
  request: Parameters<typeof readEvents>[1] & { merchantUuid: string },
  { waitMs, signal }: Waiting,
): Promise<EventPage> {
  const end = performance.now() + waitMs
  let { after } = request
  for (;;) {
    const expected = bell?.expect(request.merchantUuid)
    const over = new AbortController()
    try {
      const page = await readEvents(db, { ...request, after })
      const left = end - performance.now()
      const isAnswer = page.events.length > 0 || page.hasMore || page.isExpired
      if (isAnswer || left <= 0 || signal.aborted || bell?.isClosed) return page
      after = page.next
      const late = sleep(Math.min(left, LOOK_AGAIN_MS), undefined, { signal: AbortSignal.any([over.signal, signal]) })
      await Promise.race([late.catch(() => undefined), ...(expected ? [expected.rung] : [])])
    } finally {
      over.abort()
      expected?.cancel()
    }
  }
}
