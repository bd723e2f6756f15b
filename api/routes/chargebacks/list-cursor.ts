import { createHash } from 'node:crypto'
import type { ListPosition } from '../../../db/chargebacks/list-order.ts'
import { type KeyRing, open, seal } from '../../../db/core/seal.ts'
import { ApiError } from '../../http/errors.ts'

/** A cursor is sealed for its merchant, filters and sort, so it can't be used with others. */
export function cursorPlace(merchantUuid: string, filterAndSort: object): string[] {
  const digest = createHash('sha256')
    .update(JSON.stringify(Object.entries(filterAndSort).sort()))
    .digest('base64url')
  return ['chargeback-cursor', merchantUuid, digest]
}

export const writeCursor = (ring: KeyRing, { key, id }: ListPosition, place: string[]) =>
  seal(ring, JSON.stringify([key, id]), place)

export function readCursor(ring: KeyRing, cursor: string, place: string[]): ListPosition {
  try {
    const [key, id] = JSON.parse(open(ring, cursor, place)) as [string, string]
    return { key, id }
  } catch {
    throw new ApiError(
      400,
      'invalid_cursor',
      'cursor: not a nextCursor of this merchant, these filters and this sort. Start again without it',
    )
  }
}
