import type { Overrides } from '../../domain/evidence/overrides.ts'
import type { Database } from '../core/connect.ts'
import { inTransaction } from '../core/transaction.ts'
import { requireAccount } from '../merchants/accounts.ts'
import { wantForAccount } from '../packages/wanted.ts'
import type { JsonValue } from '../schema.ts'

/** One version of an account's own sentences for a play. */
export interface PlaybookVersion {
  play: string
  /** 1, 2, 3 …, without a gap. */
  version: number
  body: unknown
  createdBy: string
  createdAt: Date
}

/**
 * Appends a version, and asks for new packages of evidence. Concurrent calls wait for each other, so that each version stays readable.
 * @returns the version, and the one that it replaces
 * @throws Refusal account_not_found
 */
export function storePlaybook(
  db: Database,
  stored: { accountId: string; play: string; body: JsonValue; createdBy: string },
): Promise<{ version: number; replaces: number | null }> {
  const { accountId, play, body, createdBy } = stored
  return inTransaction(db, async (trx) => {
    await requireAccount(trx, accountId)
    await trx.selectFrom('account').select('account_id').where('account_id', '=', accountId).forNoKeyUpdate().execute()
    const replaces = (await readPlaybook(trx, { accountId, play }))?.version ?? null
    const version = (replaces ?? 0) + 1
    await trx
      .insertInto('evidence_playbook')
      .values({ account_id: accountId, play, version, body: JSON.stringify(body), created_by: createdBy })
      .execute()
    await wantForAccount(trx, accountId)
    return { version, replaces }
  })
}

const COLUMNS = ['play', 'version', 'body', 'created_by as createdBy', 'created_at as createdAt'] as const

/** A version of the account's sentences for a play, the newest by default; null if there is none. */
export async function readPlaybook(
  db: Database,
  { accountId, play, version }: { accountId: string; play: string; version?: number | undefined },
): Promise<PlaybookVersion | null> {
  const row = await db
    .selectFrom('evidence_playbook')
    .select(COLUMNS)
    .where('account_id', '=', accountId)
    .where('play', '=', play)
    .$if(version !== undefined, (query) => query.where('version', '=', version as number))
    .orderBy('version', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row ?? null
}

/** The newest version for each play. @throws Refusal account_not_found */
export async function listPlaybooks(db: Database, accountId: string): Promise<PlaybookVersion[]> {
  await requireAccount(db, accountId)
  return db
    .selectFrom('evidence_playbook')
    .distinctOn('play')
    .select(COLUMNS)
    .where('account_id', '=', accountId)
    .orderBy('play')
    .orderBy('version', 'desc')
    .execute()
}

/** The own sentences of the account that a chargeback belongs to. */
export async function overridesOf(db: Database, chargebackId: string): Promise<Overrides> {
  const rows = await db
    .selectFrom('chargeback as c')
    .innerJoin('merchant as m', 'm.merchant_uuid', 'c.merchant_uuid')
    .innerJoin('evidence_playbook as p', 'p.account_id', 'm.account_id')
    .distinctOn('p.play')
    .select(['p.play', 'p.version', 'p.body'])
    .where('c.id', '=', chargebackId)
    .orderBy('p.play')
    .orderBy('p.version', 'desc')
    .execute()
  return Object.fromEntries(rows.map(({ play, ...stored }) => [play, stored]))
}
