import { setTimeout as sleep } from 'node:timers/promises'
import { endOfLog, type LoggedEvent, readEvents } from '../db/events/log.ts'
import { EVENT_PATTERNS, matchingTypes } from '../domain/events/catalogue.ts'
import { type EventBody, eventLine } from '../domain/events/event-line.ts'
import { renderEvents } from '../webhooks/render.ts'
import { type Command, type CommandContext, UsageError, wholeNumber } from './command.ts'

const EVERY_MS = 300
const PAGE = 100

/** Prints events as they come, until they are as many as `--limit` says or SIGINT. */
export const listen: Command = {
  summary: 'print events as they come, until Ctrl+C',
  options: {
    'merchant?': 'of this merchant only, by its UUID',
    'types?': 'types, comma-separated, for example chargeback.*,acceptance.failed',
    'limit?': 'end after so many events',
  },
  flags: { all: 'begin with the oldest event of the log instead of the next one' },
  async run(context) {
    const { db, given } = context
    const types = matchingTypes(patterns(given.types))
    let left = given.limit === undefined ? Number.POSITIVE_INFINITY : wholeNumber('limit', given.limit, 1_000_000)
    let after = context.flag('all') ? null : await endOfLog(db)
    const stop = new AbortController()
    const onSignal = () => stop.abort()
    process.once('SIGINT', onSignal)
    try {
      while (left > 0 && !stop.signal.aborted) {
        const request = { merchantUuid: given.merchant ?? null, types, after, limit: Math.min(PAGE, left) }
        const { events, hasMore, next } = await readEvents(db, request)
        after = next
        left -= events.length
        await print(context, events)
        if (!hasMore && left > 0) await sleep(EVERY_MS, undefined, { signal: stop.signal }).catch(() => undefined)
      }
    } finally {
      process.off('SIGINT', onSignal)
    }
    return null
  },
}

function patterns(types: string | undefined): string[] {
  if (types === undefined) return ['*']
  const names = types.split(',').map((one) => one.trim())
  const unknown = names.find((one) => !EVENT_PATTERNS.includes(one))
  if (unknown !== undefined) throw new UsageError(`--types: "${unknown}" is not one of ${EVENT_PATTERNS.join(', ')}`)
  return names
}

/** In their order, although each merchant's are rendered together. */
async function print({ db, json, print: write }: CommandContext, events: readonly LoggedEvent[]): Promise<void> {
  const bodies = new Map<string, string | null>()
  for (const merchantUuid of new Set(events.map((one) => one.merchantUuid))) {
    const own = events.filter((one) => one.merchantUuid === merchantUuid)
    const rendered = await renderEvents(db, merchantUuid, own)
    own.forEach(({ eventId }, n) => void bodies.set(eventId, rendered[n] ?? null))
  }
  for (const { eventId } of events) {
    const body = bodies.get(eventId)
    if (body) write(json ? body : eventLine(JSON.parse(body) as EventBody))
  }
}
