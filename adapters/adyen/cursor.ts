import { z } from 'zod'
import type { CursorDefinition } from '../contract.ts'

const cursor = z.object({
  /** Position of the last notification of the inbox that was folded into what was handed out; null = none yet. */
  position: z.string().min(1).nullable(),
})

export type AdyenCursor = z.infer<typeof cursor>

/** Disputes live about as long as the schemes let them; older notifications stay in the inbox all the same. */
export const LOOKBACK_DAYS = 540

export const adyenCursor: CursorDefinition<AdyenCursor> = {
  version: 1,
  schema: cursor,
  initial: () => ({ position: null }),
  migrate: (stored) => {
    const read = stored.version === 1 ? cursor.safeParse(stored.value) : null
    return read?.success ? read.data : null
  },
}
