import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { BUILD_VERSION } from '../../domain/evidence/package/build-version.ts'
import type { PackageContent, PackageSummary } from '../../domain/evidence/package/package-content.ts'
import { lockChargebacks } from '../chargebacks/chargebacks.ts'
import type { Database } from '../core/connect.ts'
import { type KeyRing, open, seal, sealContext } from '../core/seal.ts'
import { inTransaction } from '../core/transaction.ts'
import { personHashes } from '../erasure/persons.ts'
import { removeFiles } from '../evidence/file-deletion.ts'
import { insertFile, type NewFile } from '../evidence/files.ts'
import { openContent } from './freezing.ts'
import { type BuildOrder, readBuildOrder } from './wanted.ts'

export interface BuiltPackage {
  /** SHA-256 of everything that it is made of, hex. */
  digest: string
  summary: PackageSummary
  content: PackageContent
  /** Null when nothing could be built. */
  pdf: { bytes: Uint8Array; pages: number } | null
  /** The PSP's field for the PDF; null for the one of documents of any kind. */
  place: string | null
  /** Why nothing could be built, as a sentence. */
  refused: string | null
  /** Files, fields, sentences and tables that are left out or cut, by id or name. */
  dropped: string[]
  /** Minutes after which it is built again although no data changed; null: never. */
  againInMinutes: number | null
}

/** `changed`: data has changed, a file is gone or a command was sent meanwhile, and the package is not stored. */
export type Stored = 'built' | 'refused' | 'unchanged' | 'changed'

/**
 * Stores a package with its file and its timeline row, unless its chargeback has changed or was answered since the order was
 * read, or a file that it encloses is gone. The one before is superseded, and its file deleted.
 */
export function storePackage(db: Database, ring: KeyRing, order: BuildOrder, built: BuiltPackage): Promise<Stored> {
  return inTransaction(db, async (trx) => {
    if (!(await holds(trx, order))) return 'changed'
    if (await isLatest(trx, order, built.digest)) {
      await noteBuilt(trx, order, built)
      return 'unchanged'
    }
    if (!(await holdFiles(trx, order, built.content))) return 'changed'
    if (await keepSame(trx, ring, order, built)) {
      await noteBuilt(trx, order, built)
      return 'unchanged'
    }
    await supersede(trx, order)
    await insertPackage(trx, ring, order, built)
    await noteBuilt(trx, order, built)
    return built.pdf ? 'built' : 'refused'
  })
}

/** Whether the latest package has this digest: then there is nothing to render. */
export async function isLatest(
  db: Database,
  { chargebackId, round }: Pick<BuildOrder, 'chargebackId' | 'round'>,
  digest: string,
): Promise<boolean> {
  const latest = await db
    .selectFrom('evidence_package')
    .select(['digest', 'state'])
    .where('chargeback_id', '=', chargebackId)
    .where('round', '=', round)
    .orderBy('version', 'desc')
    .limit(1)
    .executeTakeFirst()
  return latest !== undefined && latest.digest === digest && latest.state !== 'erased'
}

/**
 * A build of another version may make the same PDF and texts: then the package stays, so that its file can be approved
 * whenever it was read. @returns false when it is another one
 */
async function keepSame(
  db: Database,
  ring: KeyRing,
  { chargebackId, merchantUuid, round }: BuildOrder,
  { digest, content, pdf, place, summary }: BuiltPackage,
): Promise<boolean> {
  const latest = await db
    .selectFrom('evidence_package as p')
    .innerJoin('file as f', 'f.file_id', 'p.file_id')
    .select(['p.package_id', 'p.content_sealed', 'f.file_id', 'f.sha256', 'f.metadata_sealed as sealed'])
    .where('p.chargeback_id', '=', chargebackId)
    .where('p.round', '=', round)
    .where('p.state', '=', 'current')
    .executeTakeFirst()
  if (!latest || !pdf || !createHash('sha256').update(pdf.bytes).digest().equals(latest.sha256)) return false
  const metadata =
    latest.sealed === null ? null : open(ring, latest.sealed, sealContext.file(merchantUuid, latest.file_id))
  if (metadata !== metadataOf(place)) return false
  const stored = openContent(ring, latest.package_id, latest.content_sealed)
  if (JSON.stringify(stored) !== JSON.stringify(content)) return false
  await db
    .updateTable('evidence_package')
    .set({ digest, build_version: BUILD_VERSION, ...summaryColumns(summary) })
    .where('package_id', '=', latest.package_id)
    .execute()
  return true
}

const summaryColumns = ({ play, playbook, completeness, requiredMissing, kept, ...flags }: PackageSummary) => ({
  ...{ play, playbook_version: playbook.version, override_version: playbook.override, completeness, kept },
  ...{ required_missing: requiredMissing, manual_only: flags.manualOnly, contradicted: flags.contradicted },
})

/**
 * Locks the chargeback's row, so that data, commands and erasures wait or have come first. What they did is read by a
 * second statement: one that waits for a lock sees other tables as they were before.
 */
export async function holds(db: Database, { chargebackId, round, wantedAt }: BuildOrder): Promise<boolean> {
  await lockChargebacks(db, [chargebackId])
  const order = await readBuildOrder(db, chargebackId)
  return order !== null && order.round === round && order.wantedAt === wantedAt
}

/**
 * Locks the files that the package encloses and the one that it replaces, in the order of their ids, as an erasure does.
 * @returns false when one was erased, or an enclosed one has expired: its pages must not be stored
 */
async function holdFiles(db: Database, { chargebackId }: BuildOrder, { exhibits }: PackageContent): Promise<boolean> {
  const { rows: replaced } = await sql<{ fileId: string | null }>`
    select file_id as "fileId" from evidence_package where chargeback_id = ${chargebackId} and state in ('current', 'refused')
    for no key update`.execute(db)
  const fileIds = [...exhibits, ...replaced].flatMap(({ fileId }) => fileId ?? [])
  const { rows } = await sql<{ fileId: string; erased: boolean }>`
    select file_id as "fileId", erased_at is not null as erased from file where file_id = any(${fileIds}::uuid[])
    order by file_id for share`.execute(db)
  const found = new Set(rows.map(({ fileId }) => fileId))
  return rows.every(({ erased }) => !erased) && exhibits.every(({ fileId }) => found.has(fileId))
}

async function supersede(db: Database, { chargebackId }: BuildOrder): Promise<void> {
  const { rows } = await sql<{ fileId: string | null }>`
    update evidence_package set state = 'superseded', content_sealed = null, persons = '{}'
    where chargeback_id = ${chargebackId} and state in ('current', 'refused') returning file_id as "fileId"`.execute(db)
  const files = rows.flatMap(({ fileId }) => fileId ?? [])
  if (files.length > 0) await removeFiles(db, files)
}

async function insertPackage(db: Database, ring: KeyRing, order: BuildOrder, built: BuiltPackage): Promise<void> {
  const { chargebackId, merchantUuid, round } = order
  const { summary, content, pdf, place } = built
  const packageId = uuidv7()
  const text = JSON.stringify(content)
  const file = pdf && (await insertFile(db, ring, fileOf(order, content, { bytes: pdf.bytes, place })))
  if (file) await indexExhibits(db, file.fileId, content)
  const { rows } = await sql<{ version: number }>`
    insert into evidence_package (package_id, merchant_uuid, chargeback_id, round, version, state, digest, file_id,
      content_sealed, persons, play, playbook_version, override_version, completeness, required_missing, kept, manual_only,
      contradicted, pages, bytes, build_version)
    select ${packageId}, ${merchantUuid}, ${chargebackId}, ${round}, coalesce(max(version), 0) + 1,
      ${pdf ? 'current' : 'refused'}, ${built.digest}, ${file?.fileId ?? null}::uuid,
      ${seal(ring, text, sealContext.evidencePackage(packageId))}, ${personHashes(ring, text)}, ${summary.play},
      ${summary.playbook.version}::int, ${summary.playbook.override}::int, ${summary.completeness}::float8,
      ${summary.requiredMissing}::int, ${summary.kept}::text[], ${summary.manualOnly}::boolean,
      ${summary.contradicted}::boolean, ${pdf?.pages ?? null}::int, ${pdf?.bytes.length ?? null}::int,
      ${BUILD_VERSION}::int
    from evidence_package where chargeback_id = ${chargebackId} and round = ${round}
    returning version`.execute(db)
  const version = rows[0]?.version
  const { play, completeness } = summary
  const about = { packageId, version, play, completeness, requiredMissing: content.requiredMissing }
  const after = pdf
    ? { ...about, pages: pdf.pages, bytes: pdf.bytes.length, dropped: built.dropped }
    : { ...about, why: built.refused }
  await db
    .insertInto('timeline_event')
    .values({
      merchant_uuid: merchantUuid,
      chargeback_id: chargebackId,
      source: 'building',
      what: pdf ? 'evidence package built' : 'evidence package refused',
      after: JSON.stringify(after),
    })
    .execute()
}

/** Names the field, as the metadata of an upload does. */
const metadataOf = (place: string | null) => (place === null ? null : JSON.stringify({ field: place }))

const fileOf = (
  { merchantUuid }: BuildOrder,
  { addresses }: PackageContent,
  { bytes, place }: { bytes: Uint8Array; place: string | null },
): NewFile => ({
  ...{ merchantUuid, name: 'evidence.pdf', purpose: 'evidence_file', type: 'application/pdf', origin: 'built' },
  metadata: metadataOf(place),
  ...{ content: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), addresses },
})

/** Persons whose addresses the enclosed files show are found by the built file, too. */
async function indexExhibits(db: Database, fileId: string, { exhibits }: PackageContent): Promise<void> {
  if (exhibits.length === 0) return
  await sql`
    update file f set persons = array(select unnest(f.persons) union select unnest(e.persons) from file e
      where e.file_id = any(${exhibits.map((one) => one.fileId)}::uuid[]))
    where f.file_id = ${fileId}`.execute(db)
}

/** The package answers the change of the order. */
export async function noteBuilt(
  db: Database,
  { chargebackId }: BuildOrder,
  { againInMinutes }: Pick<BuiltPackage, 'againInMinutes'>,
): Promise<void> {
  await sql`
    update chargeback c set package_build = ${BUILD_VERSION}, package_at = coalesce(c.package_wanted_at, clock_timestamp()),
      package_again_at = clock_timestamp() + make_interval(mins => ${againInMinutes}::int)
    where c.id = ${chargebackId}`.execute(db)
}
