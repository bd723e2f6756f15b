import type { FileRecord, JsonObject } from '../engine/contract.ts'
import { tokenOf } from '../engine/draw.ts'
import { instant, STORAGE } from './dispute.ts'
import { evidenceOf, ok, recordOf } from './disputes.ts'
import type { BraintreeRequest } from './endpoint.ts'
import { BraintreeRefusal, invalid } from './errors.ts'
import { element } from './xml.ts'
import type { Parsed } from './xml-reader.ts'

const FILES = words(`GENERAL LEGIT_PAYMENTS_FOR_SAME_MERCHANDISE MERCHANT_WEBSITE_OR_APP_ACCESS
  PROFILE_SETUP_OR_APP_ACCESS PROOF_OF_3D_SECURE PROOF_OF_AUTHORIZED_SIGNER PROOF_OF_DELIVERY
  PROOF_OF_DELIVERY_EMP_ADDRESS PROOF_OF_POSSESSION_OR_USAGE SIGNED_DELIVERY_FORM SIGNED_ORDER_FORM TICKET_PROOF`)
/** Official tests write TRACKING_URL and EVIDENCE_TYPE, and the documentation of PayPal disputes requires them. */
const TEXTS = words(`GENERAL CARRIER_NAME CARRIER_NAME_OTHER CREDIT_ISSUED_AMOUNT CREDIT_ISSUED_ARN
  CREDIT_ISSUED_DATE_TIME DEVICE_ID DEVICE_NAME DOWNLOAD_DATE_TIME EVIDENCE_TYPE GEOGRAPHICAL_LOCATION
  PRIOR_DIGITAL_GOODS_TRANSACTION_ARN PRIOR_DIGITAL_GOODS_TRANSACTION_DATE_TIME PRIOR_DIGITAL_GOODS_TRANSACTION_ID
  PRIOR_NON_DISPUTED_TRANSACTION_ARN PRIOR_NON_DISPUTED_TRANSACTION_DATE_TIME
  PRIOR_NON_DISPUTED_TRANSACTION_EMAIL_ADDRESS PRIOR_NON_DISPUTED_TRANSACTION_ID
  PRIOR_NON_DISPUTED_TRANSACTION_IP_ADDRESS PRIOR_NON_DISPUTED_TRANSACTION_PHONE_NUMBER
  PRIOR_NON_DISPUTED_TRANSACTION_PHYSICAL_ADDRESS PURCHASER_EMAIL_ADDRESS PURCHASER_IP_ADDRESS PURCHASER_NAME
  RECURRING_TRANSACTION_ARN RECURRING_TRANSACTION_DATE_TIME RECURRING_TRANSACTION_ID REFUND_ID TRACKING_NUMBER
  TRACKING_URL AVS_RESPONSE`)

function words(text: string): readonly string[] {
  return text.split(/\s+/)
}

/** POST /disputes/{id}/evidence: a text or a document, while the dispute is open. */
export function addEvidence(request: BraintreeRequest): { status: 200 | 201; body: string } {
  const { engine, account, body } = request
  const record = recordOf(request)
  if (record.word !== 'open') throw invalid('95701', 'status')
  const given = body.evidence
  if (typeof given !== 'object' || given === null || Array.isArray(given)) throw new BraintreeRefusal(400)
  const dispute = engine.read(record)
  const entry: JsonObject = {
    id: tokenOf(16, engine.seed, 'evidence', account.id, engine.nextNumber(account)).toLowerCase(),
    ...(present(given.document_upload_id) ? documentEntry(request, given, dispute) : textEntry(given)),
    createdAt: instant(engine.now()),
    sentToProcessorAt: null,
    sequenceNumber: typeof given.sequence_number === 'number' ? given.sequence_number : null,
  }
  const bytes = present(given.document_upload_id) ? fileOf(request, given.document_upload_id).bytes : 0
  engine.change(record, (object) => {
    object.evidence = [...evidenceOf(object), entry]
    object.remainingFileEvidenceStorage = Math.max(0, Number(object.remainingFileEvidenceStorage ?? STORAGE) - bytes)
  })
  return ok(element('evidence', entry), 201)
}

function textEntry(given: { [key: string]: Parsed }): JsonObject {
  const category = categoryOf(given, TEXTS, FILES, '95712')
  const comment = given.comments
  if (typeof comment !== 'string' || comment.trim() === '') throw new BraintreeRefusal(400)
  const wrong = faultOf(category, comment)
  if (wrong !== null) throw invalid(wrong, 'evidence')
  return { category, comment, url: null }
}

/** Braintree's documented errors for a text of a category. */
function faultOf(category: string, comment: string): string | null {
  if (category.endsWith('_DATE_TIME')) return Number.isNaN(Date.parse(comment)) ? '95707' : null
  if (category.endsWith('_ARN')) return comment.length > 23 ? '95709' : null
  if (category.endsWith('_PHONE_NUMBER')) return comment.length > 20 ? '95710' : null
  if (category.endsWith('_EMAIL_ADDRESS')) return comment.includes('@') ? null : '95715'
  return category === 'GEOGRAPHICAL_LOCATION' && comment.length > 50 ? '95708' : null
}

function documentEntry(request: BraintreeRequest, given: { [key: string]: Parsed }, dispute: JsonObject): JsonObject {
  const category = categoryOf(given, FILES, TEXTS, '95711')
  const file = fileOf(request, given.document_upload_id)
  if (file.bytes > Number(dispute.remainingFileEvidenceStorage ?? STORAGE))
    throw invalid('84902', 'file', 'document-upload')
  return { category, comment: null, url: `https://documents.example.com/evidence/${file.id}/${file.name}` }
}

function fileOf({ account }: BraintreeRequest, id: Parsed | undefined): FileRecord {
  const file = account.fileById.get(String(id))
  if (!file) throw invalid('95703', 'document_upload_id')
  return file
}

/** @throws BraintreeRefusal 95706 for no category at all, `wrongKind` for one of the other kind of evidence */
function categoryOf(
  given: { [key: string]: Parsed },
  allowed: readonly string[],
  others: readonly string[],
  wrongKind: string,
): string {
  const category = present(given.category) ? String(given.category) : 'GENERAL'
  if (allowed.includes(category)) return category
  throw invalid(others.includes(category) ? wrongKind : '95706', 'evidence')
}

/** Other SDKs send a missing value as an empty element. */
function present(value: Parsed | undefined): boolean {
  return value !== undefined && value !== null && value !== ''
}

/** DELETE /disputes/{id}/evidence/{evidenceId}: responds with one space. */
export function removeEvidence(request: BraintreeRequest): { status: 200 | 201; body: string } {
  const { engine, evidenceId } = request
  const record = recordOf(request)
  if (record.word !== 'open') throw invalid('95702', 'status')
  const evidence = evidenceOf(engine.read(record))
  if (!evidence.some((entry) => entry.id === evidenceId)) throw new BraintreeRefusal(404)
  engine.change(record, (object) => {
    object.evidence = evidence.filter((entry) => entry.id !== evidenceId)
  })
  return { status: 200, body: ' ' }
}
