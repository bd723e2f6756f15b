import { type SealContext, sealContext } from './seal.ts'

type Row = Readonly<Record<string, string>>

/** A column with sealed text or bytes. */
export interface SealedColumn {
  table: string
  column: string
  /** Columns that the context consists of. */
  of: readonly string[]
  context(row: Row): SealContext
  /** `bytes`: made by sealBytes. */
  form: 'text' | 'bytes'
  /**
   * Source of the hashes in the `persons` column next to it: the sealed text, or the visible text of a file, which
   * requires parsing. Undefined: no such column, or another column of the row fills it.
   */
  persons?: 'text' | 'file'
}

const text = (place: string, of: string[], context: SealedColumn['context'], persons?: 'text'): SealedColumn => {
  const [table = '', column = ''] = place.split('.')
  return { table, column, of, context, form: 'text', ...(persons && { persons }) }
}
const id = (row: Row, name: string) => row[name] as string
const ofIntegration = (row: Row) => sealContext.rawObject(id(row, 'integration_id'))
const ofFile = (row: Row) => sealContext.file(id(row, 'merchant_uuid'), id(row, 'file_id'))
const FILE = ['merchant_uuid', 'file_id']
const ofEndpoint = (row: Row) => sealContext.webhookEndpoint(id(row, 'endpoint_id'), id(row, 'account_id'))
const ENDPOINT = ['endpoint_id', 'account_id']

/** Every sealed column of the schema and its context. A test finds missing ones. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  text('signing_key.private_key_sealed', ['kid'], (row) => sealContext.signingKey(id(row, 'kid'))),
  text('erasure_key.key_sealed', [], () => sealContext.erasureKey()),
  text('sealing_key.persons_key_sealed', ['key_id'], (row) => sealContext.personsKey(id(row, 'key_id'))),
  text('integration.secret_sealed', ['integration_id', 'source', 'merchant_uuid'], (row) =>
    sealContext.integrationSecret({
      integrationId: id(row, 'integration_id'),
      source: id(row, 'source'),
      merchantUuid: id(row, 'merchant_uuid'),
    }),
  ),
  text('secret_rotation.secret_sealed', ['rotation_id'], (row) => sealContext.secretCandidate(id(row, 'rotation_id'))),
  text('kept_verification.sealed', ['rotation_id'], (row) => sealContext.keptVerification(id(row, 'rotation_id'))),
  text('removal.person_sealed', ['removal_id'], (row) => sealContext.removal(id(row, 'removal_id'))),
  text(
    'merchant.contact_sealed',
    ['merchant_uuid'],
    (row) => sealContext.merchantContact(id(row, 'merchant_uuid')),
    'text',
  ),
  text('raw_object.sealed', ['integration_id'], ofIntegration, 'text'),
  text('quarantine.sealed', ['integration_id'], ofIntegration, 'text'),
  text('notification.sealed', ['integration_id'], ofIntegration, 'text'),
  text('ingestion.sealed', ['integration_id'], ofIntegration, 'text'),
  text('client_data.sealed', ['chargeback_id'], (row) => sealContext.clientData(id(row, 'chargeback_id')), 'text'),
  text(
    'transaction_record.sealed',
    ['transaction_record_id'],
    (row) => sealContext.transactionRecord(id(row, 'transaction_record_id')),
    'text',
  ),
  text(
    'evidence_submission.texts_sealed',
    ['command_id'],
    (row) => sealContext.submissionTexts(id(row, 'command_id')),
    'text',
  ),
  text(
    'evidence_package.content_sealed',
    ['package_id'],
    (row) => sealContext.evidencePackage(id(row, 'package_id')),
    'text',
  ),
  text('alert_outcome.comments_sealed', ['alert_id'], (row) => sealContext.alertComments(id(row, 'alert_id')), 'text'),
  text(
    'idempotency_key.answer_sealed',
    ['credential_id'],
    (row) => sealContext.storedAnswer(id(row, 'credential_id')),
    'text',
  ),
  text('webhook_endpoint.keys_sealed', ENDPOINT, ofEndpoint),
  text('webhook_endpoint.old_keys_sealed', ENDPOINT, ofEndpoint),
  text('file.name_sealed', FILE, ofFile),
  text('file.metadata_sealed', FILE, ofFile),
  { table: 'file', column: 'content_sealed', of: FILE, context: ofFile, form: 'bytes', persons: 'file' },
]
