import { z } from 'zod'
import type { CursorDefinition } from '../contract.ts'

const cursor = z.object({
  /** Position in the PSP's feed of changes; 0 = the start. */
  after: z.int().min(0),
  /** Start of the last complete read of the feed, unix seconds; null before the first is complete. */
  sweptAt: z.int().nullable(),
  /** Start of the complete read in progress, unix seconds. */
  sweeping: z.int().nullable(),
  /** Position in the inbox of posted raw data. */
  posted: z.string().min(1).nullable(),
})

export type SandboxCursor = z.infer<typeof cursor>

/** The feed keeps all changes. */
export const LOOKBACK_DAYS = 540
const WEEK = 7 * 86_400

export const sandboxCursor: CursorDefinition<SandboxCursor> = {
  version: 1,
  schema: cursor,
  initial: () => ({ after: 0, sweptAt: null, sweeping: null, posted: null }),
  migrate: (stored) => {
    const read = stored.version === 1 ? cursor.safeParse(stored.value) : null
    return read?.success ? read.data : null
  },
}

/** Once a week everything is read again, to find objects that were repaired without a change. */
export function openReading(stored: SandboxCursor, now: Date): SandboxCursor {
  if (stored.sweeping !== null) return stored
  const present = Math.floor(now.getTime() / 1000)
  const { sweptAt } = stored
  const due = sweptAt === null || sweptAt > present || present - sweptAt >= WEEK
  return due ? { ...stored, after: 0, sweeping: present } : stored
}

/** The cursor at the end of the feed. */
export function closeReading(reading: SandboxCursor): SandboxCursor {
  return { ...reading, sweptAt: reading.sweeping ?? reading.sweptAt, sweeping: null }
}
