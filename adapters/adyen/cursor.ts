import { z } from 'zod'
import type { CursorDefinition } from '../contract.ts'
import { TRANSLATION_VERSION } from './translate.ts'

const cursor = z.object({
  /** Position of the last notification that was reduced into a returned dispute; null = none yet. */
  position: z.string().min(1).nullable(),
})

export type AdyenCursor = z.infer<typeof cursor>

/** About the maximum life of a dispute under the schemes' rules. Older notifications stay in the inbox. */
export const LOOKBACK_DAYS = 540

/**
 * The cursor's version is the translation's version: the inbox is the only source, so a newer translation reads it from
 * the start and translates everything stored again.
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
