import { z } from 'zod'
import type { CursorDefinition } from '../contract.ts'
import { TRANSLATION_VERSION } from './translate.ts'

const cursor = z.object({
  /** Position of the last notification of the inbox that was folded into what was handed out; null = none yet. */
  position: z.string().min(1).nullable(),
})

export type AdyenCursor = z.infer<typeof cursor>

/** Disputes live about as long as the schemes let them; older notifications stay in the inbox all the same. */
export const LOOKBACK_DAYS = 540

/**
 * Its version is the translation's: nothing but the inbox can be read again, so a newer translation drains it from the
 * start, and everything that is stored gets translated by it.
 */
export const adyenCursor: CursorDefinition<AdyenCursor> = {
  version: TRANSLATION_VERSION,
  schema: cursor,
  initial: () => ({ position: null }),
  migrate: (stored) => {
    const read = stored.version === TRANSLATION_VERSION ? cursor.safeParse(stored.value) : null
    return read?.success ? read.data : null
  },
}
