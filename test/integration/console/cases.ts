import { storePackage } from '../../../db/packages/packages.ts'
import { readBuildOrder } from '../../../db/packages/wanted.ts'
import type { PackageContent } from '../../../domain/evidence/package/package-content.ts'
import { samplePdf } from '../../harness/sample-files.ts'
import { multipart } from '../../interface/multipart.ts'
import { addEvidenceFile } from '../api/chargebacks/chargeback-rows.ts'
import type { Row, Shop } from './shop.ts'

const CONTENT: Omit<PackageContent, 'exhibits'> = {
  texts: { shipping_carrier: 'DHL', shipping_tracking_number: '00340434161094042557' },
  textsLeftOut: [{ field: 'refund_policy', why: 'missing: refundPolicy' }],
  statements: [
    { id: 'delivered', kept: true, text: 'The parcel was delivered on 6 March 2026, 11:42 UTC.', exhibits: ['A'] },
    { id: 'same_address', kept: true, text: 'It went to the address that the cardholder gave.', exhibits: [] },
    { id: 'signed', kept: false, why: 'missing: deliverySignedBy', exhibits: [] },
  ],
  filesLeft: [],
  requiredMissing: ['shippingTrackingNumber or a file of kind delivery'],
  missing: ['deliverySignedBy or a file of kind signature', 'customerCommunication'],
  warnings: [],
  addresses: [],
}

/** A chargeback that builds evidence, with a package as the worker stores it. @returns its id */
export async function addCase(shop: Shop, row: Row = {}, change: Partial<PackageContent> = {}): Promise<string> {
  const due = new Date(Date.now() + 90 * 3_600_000)
  const [id = ''] = await shop.add([
    {
      ...{ due_date: due, status: 'building_evidence', status_reason: 'There is enough data.', amount_minor: 20_209n },
      ...{ package_wanted_at: new Date(), win_probability: '57', roi_recommendation: 'Fight', ...row },
    },
  ])
  await buildAgain(shop, id, change)
  return id
}

/** The next version of its package. @param refused why nothing could be built */
export async function buildAgain(
  { stage: { db, ring } }: Shop,
  id: string,
  change: Partial<PackageContent> = {},
  refused: string | null = null,
) {
  const order = await readBuildOrder(db, id)
  if (!order) throw new Error('the chargeback wants no evidence')
  const fileId = await addEvidenceFile({ db, ring }, order.merchantUuid)
  const stored = await storePackage(db, ring, order, {
    digest: crypto.randomUUID().replaceAll('-', '').repeat(2),
    summary: {
      ...{ play: 'not_received', playbook: { id: 'not_received', version: 1, override: null }, completeness: 0.82 },
      ...{ manualOnly: false, requiredMissing: 1, kept: ['delivered'], contradicted: false },
    },
    content: { ...CONTENT, exhibits: [{ letter: 'A', fileId, kind: 'delivery', pages: 1 }], ...change },
    pdf: refused ? null : { bytes: samplePdf({ content: 'BT 20 100 Td (Evidence of the shop) Tj ET' }), pages: 2 },
    ...{ place: null, refused, dropped: [], againInMinutes: null },
  })
  if (stored !== (refused ? 'refused' : 'built')) throw new Error(`the package is not stored: ${stored}`)
}

/** Uploads a file under a name, a PDF by default. @returns its id */
export async function uploadNamed(
  { stage }: Pick<Shop, 'stage'>,
  name: string,
  metadata: object = {},
  { purpose = 'evidence_file', content = samplePdf() } = {},
): Promise<string> {
  const { type, body } = multipart([
    // As browsers write it.
    { name: 'file', content, filename: name.replaceAll('"', '%22').replaceAll(/[\r\n]/g, '') },
    { name: 'purpose', content: purpose },
    { name: 'metadata', content: JSON.stringify(metadata) },
  ])
  const response = await stage.app.request('/v1/files', {
    method: 'POST',
    headers: { authorization: `Bearer ${stage.token}`, 'content-type': type },
    body,
  })
  if (response.status !== 201) throw new Error(await response.text())
  return ((await response.json()) as { id: string }).id
}
