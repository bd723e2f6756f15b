import type { PackageContent } from '../../domain/evidence/package/package-content.ts'
import { chargebackNotFound } from '../chargebacks/chargebacks.ts'
import type { Database } from '../core/connect.ts'
import type { KeyRing } from '../core/seal.ts'
import { type AutomaticCase, readAutomaticCase } from './automatic.ts'
import { openContent } from './freezing.ts'

export type PackageState = 'current' | 'superseded' | 'frozen' | 'erased' | 'refused'

/** The latest package of a chargeback's round. */
export interface Draft {
  packageId: string
  version: number
  state: PackageState
  builtAt: Date
  fileId: string | null
  /** SHA-256 of the PDF, hex; null without one. */
  sha256: string | null
  play: string
  playbookVersion: number
  overrideVersion: number | null
  completeness: number
  pages: number | null
  bytes: number | null
  /** Null once it is erased. */
  content: PackageContent | null
}

interface Asked {
  merchantUuid: string
  chargebackId: string
}

/**
 * The latest package of the current round, null before there is one, and what the automatic submission depends on. Both are
 * read from one snapshot, because a package may be stored between the two statements.
 * @throws Refusal chargeback_not_found
 */
export const readDraft = (db: Database, ring: KeyRing, asked: Asked) =>
  db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute((trx) => readBoth(trx, ring, asked))

async function readBoth(
  db: Database,
  ring: KeyRing,
  asked: Asked,
): Promise<{ draft: Draft | null; automatic: AutomaticCase }> {
  const automatic = await readAutomaticCase(db, asked)
  if (!automatic) throw chargebackNotFound()
  const row = await db
    .selectFrom('evidence_package as p')
    .leftJoin('file as f', 'f.file_id', 'p.file_id')
    .selectAll('p')
    .select(['f.sha256', 'f.erased_at'])
    .where('p.chargeback_id', '=', asked.chargebackId)
    .where('p.merchant_uuid', '=', asked.merchantUuid)
    .where('p.round', '=', automatic.round)
    .orderBy('p.version', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (!row) return { draft: null, automatic }
  return {
    automatic,
    draft: {
      ...{ packageId: row.package_id, version: row.version, state: row.state as PackageState, builtAt: row.built_at },
      ...{ fileId: row.file_id, play: row.play, completeness: row.completeness, pages: row.pages, bytes: row.bytes },
      ...{ playbookVersion: row.playbook_version, overrideVersion: row.override_version },
      sha256: row.erased_at === null ? (row.sha256?.toString('hex') ?? null) : null,
      content: openContent(ring, row.package_id, row.content_sealed),
    },
  }
}
