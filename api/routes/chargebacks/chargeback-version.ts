import { createHash } from 'node:crypto'
import type { Context } from 'hono'
import { readChargeback } from '../../../db/chargebacks/chargebacks.ts'
import type { Database } from '../../../db/core/connect.ts'
import type { ApiEnv } from '../../context.ts'
import { ApiError } from '../../http/errors.ts'
import { names } from '../../http/etag.ts'

const digest = (text: string) => createHash('sha256').update(text).digest('base64url').slice(0, 22)

/**
 * Entity tag of a chargeback, from its visible fields: the row's version also counts changes that clients don't see. What
 * `expand` adds comes after a dot, because an act is about the chargeback without it.
 * @param plain the chargeback as JSON text
 * @param expanded the further fields as JSON text, empty without
 */
export const chargebackVersion = (plain: string, expanded = ''): string =>
  expanded === '' ? digest(plain) : `${digest(plain)}.${digest(expanded)}`

/**
 * The check of `If-Match`, for the transaction that has locked the chargeback; undefined without the header. It throws
 * ApiError 412 chargeback_changed.
 */
export function sameAsRead(
  c: Context<ApiEnv>,
  chargebackId: string,
): ((locked: Database) => Promise<void>) | undefined {
  const given = c.req.header('if-match')?.replace(/\.[\w-]*"/g, '"')
  if (given === undefined) return undefined
  return async (locked) => {
    const now = await readChargeback(locked, { merchantUuid: c.get('merchantUuid'), chargebackId })
    if (!names(given, chargebackVersion(now)))
      throw new ApiError(
        412,
        'chargeback_changed',
        'The chargeback has changed since it was read. Read it again, and decide again.',
      )
  }
}
