import type { CallRecord } from '../../simulators/engine/contract.ts'

const SECOND = 1_000

/**
 * Whether Recoup called the PSP again too early about one dispute, after a 429 with this Retry-After: seconds, or a
 * date.
 * @returns a violation if it did
 */
export function askedTooEarly(
  calls: readonly Pick<CallRecord, 'id' | 'when' | 'outcome'>[],
  retryAfter: string,
): string[] {
  const refused = calls.find(({ outcome }) => outcome === '429')
  const next = refused && calls.find(({ id }) => id > refused.id)
  if (!refused || !next) return []
  const seconds = Number(retryAfter)
  const from = Number.isNaN(seconds) ? Date.parse(retryAfter) : Date.parse(refused.when) + seconds * SECOND
  const early = from - Date.parse(next.when)
  return early > 0 ? [`request budget: asked again ${early} ms before Retry-After (${retryAfter}) was over`] : []
}
