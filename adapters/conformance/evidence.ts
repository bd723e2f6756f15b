import { createHash } from 'node:crypto'
import type { Adapter, EvidencePacket, SubmissionPlan, SubmissionRequest } from '../contract.ts'
import type { Bench } from './bench.ts'
import { skip } from './check.ts'

/** Test evidence for a dispute that the kit creates. */

export const PDF = Buffer.from([0x25, 0x50, 0x44, 0x46, 0x2d, 0xff, 0x00, 0x80, 0xc3, 0x28, 0x0a])
export const sha256 = (data: Uint8Array) => createHash('sha256').update(data).digest('hex')

/** An open dispute, and its evidence requirements. */
export async function contesting(bench: Bench, order: Record<string, unknown> = {}) {
  const { definition } = bench.subject
  const { contest } = definition.capabilities
  if (contest === false) skip('this PSP takes no evidence')
  const [reference = ''] = await bench.create({
    count: 1,
    status: 'needs_response',
    stage: 'chargeback',
    reason: '10.4',
    dueInHours: 48,
    ...order,
  })
  const adapter = bench.connect() as Required<Adapter>
  const requirements = await adapter.describeEvidence(reference)
  const planOf = (packet: EvidencePacket) =>
    (definition.planSubmission as NonNullable<typeof definition.planSubmission>)(requirements, packet)
  return { reference, adapter, requirements, planOf, staged: contest.mode === 'staged' }
}

/** One document and, if texts are supported, one text. */
export function packetFor(
  requirements: { fileTypes: readonly string[]; textFields: Readonly<Record<string, number>> },
  text = 'Delivered.',
) {
  const [field = ''] = Object.keys(requirements.textFields)
  return {
    files: [{ fileId: 'file-1', name: 'proof.pdf', type: 'application/pdf', bytes: PDF.length, sha256: sha256(PDF) }],
    texts: field === '' ? {} : { [field]: text },
  }
}

/** Executes the plan's uploads and returns the request that stages and submits it. */
export async function prepare(
  adapter: Required<Adapter>,
  reference: string,
  steps: SubmissionPlan,
  key = `submit:${reference}`,
) {
  const files: Record<string, string> = {}
  const documents: NonNullable<SubmissionRequest['documents']> = {}
  for (const step of steps.steps) {
    if (step.do !== 'upload') continue
    documents[step.field] = { name: 'proof.pdf', type: 'application/pdf', data: PDF }
    if (!adapter.uploadFile) continue
    const { fileReference } = await adapter.uploadFile({
      reference,
      file: { name: 'proof.pdf', type: 'application/pdf', data: PDF },
      ...{ idempotencyKey: `${key}:${step.fileId}`, digest: steps.digest },
    })
    files[step.field] = fileReference
  }
  return { reference, idempotencyKey: key, digest: steps.digest, files, texts: steps.texts, documents }
}
