import { sql } from 'kysely'
import type { Database } from '../../db/connect.ts'
import { type KeyRing, open, openBytes, type SealContext, sealContext } from '../../db/seal.ts'
import { checkFile } from '../../files/inspect.ts'

type Row = Record<string, unknown>
const id = (row: Row, name: string) => String(row[name])

/** How the sealed columns open. One that is missing here fails the search, so that none is forgotten. */
const SEALED: Record<string, (row: Row) => SealContext> = {
  'raw_object.sealed': (row) => sealContext.rawObject(id(row, 'integration_id')),
  'quarantine.sealed': (row) => sealContext.rawObject(id(row, 'integration_id')),
  'notification.sealed': (row) => sealContext.rawObject(id(row, 'integration_id')),
  'ingestion.sealed': (row) => sealContext.rawObject(id(row, 'integration_id')),
  'file.name_sealed': (row) => sealContext.file(id(row, 'merchant_uuid'), id(row, 'file_id')),
  'file.metadata_sealed': (row) => sealContext.file(id(row, 'merchant_uuid'), id(row, 'file_id')),
  'file.content_sealed': (row) => sealContext.file(id(row, 'merchant_uuid'), id(row, 'file_id')),
  'client_data.sealed': (row) => sealContext.clientData(id(row, 'chargeback_id')),
  'transaction_record.sealed': (row) => sealContext.transactionRecord(id(row, 'transaction_record_id')),
  'evidence_submission.texts_sealed': (row) => sealContext.submissionTexts(id(row, 'command_id')),
  'alert_outcome.comments_sealed': (row) => sealContext.alertComments(id(row, 'alert_id')),
  'idempotency_key.answer_sealed': (row) => sealContext.storedAnswer(id(row, 'credential_id')),
  'merchant.contact_sealed': (row) => sealContext.merchantContact(id(row, 'merchant_uuid')),
  'integration.secret_sealed': (row) =>
    sealContext.integrationSecret({
      integrationId: id(row, 'integration_id'),
      source: id(row, 'source'),
      merchantUuid: id(row, 'merchant_uuid'),
    }),
  'secret_rotation.secret_sealed': (row) => sealContext.secretCandidate(id(row, 'rotation_id')),
  'kept_verification.sealed': (row) => sealContext.keptVerification(id(row, 'rotation_id')),
  'signing_key.private_key_sealed': (row) => sealContext.signingKey(id(row, 'kid')),
  'removal.person_sealed': (row) => sealContext.removal(id(row, 'removal_id')),
  'erasure_key.key_sealed': () => sealContext.erasureKey(),
}

/** Where in the database each of the words stands, case aside: `table.column`, sorted. All tables, all columns. */
export async function search(db: Database, ring: KeyRing, words: readonly string[]): Promise<Record<string, string[]>> {
  const found = new Map(words.map((word) => [word, new Set<string>()]))
  const { rows: tables } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE'`.execute(db)
  for (const { name } of tables) {
    const { rows } = await sql<Row>`select * from ${sql.table(name)}`.execute(db)
    for (const row of rows)
      for (const [column, value] of Object.entries(row)) {
        const place = `${name}.${column}`
        const plain = (await texts(ring, place, row, value)).join('\n').toLowerCase()
        for (const [word, places] of found) if (plain.includes(word.toLowerCase())) places.add(place)
      }
  }
  return Object.fromEntries([...found].map(([word, places]) => [word, [...places].sort()]))
}

/** Everything that a value says: as it stands, opened, and what a file shows. */
async function texts(ring: KeyRing, place: string, row: Row, value: unknown): Promise<string[]> {
  if (value === null || value === undefined) return []
  const context = SEALED[place]
  const isSealed = /(^|[._])sealed$/.test(place) || (typeof value === 'string' && /^v1\.[\w-]+\./.test(value))
  if (isSealed && !context) throw new Error(`nobody has said how ${place} is opened: add it to SEALED`)
  if (Buffer.isBuffer(value)) {
    if (!context) return [value.toString('latin1')]
    const content = openBytes(ring, value, context(row))
    const purpose = row.purpose === 'evidence_image' ? 'evidence_image' : 'evidence_file'
    const found = [content.toString('latin1')]
    await checkFile(content, purpose, (text) => found.push(text))
    return found
  }
  if (typeof value === 'string') return [context ? open(ring, value, context(row)) : value]
  if (Array.isArray(value) && value.every((one) => Buffer.isBuffer(one)))
    return value.map((one) => (one as Buffer).toString('latin1'))
  return [JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? String(one) : one))]
}
