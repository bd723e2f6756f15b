import type { Anything, Simulated } from './connect.ts'

export const FIRST = 'd'.repeat(64)
export const SECOND = 'e'.repeat(64)
export const OWNER = 'chargeback-of-ours'
export const FILE = { name: 'proof.pdf', type: 'application/pdf', data: Buffer.from('%PDF-1.4\n') }
export const BY_HAND = { id: 'byhand', category: 'GENERAL', comment: 'By hand.', url: null, sentToProcessorAt: null }

/** A packet with its document uploaded, like by the engine. */
export async function packetOf(
  braintree: Simulated,
  reference: string,
  texts: Record<string, string>,
  { digest = FIRST, owner = OWNER }: { digest?: string; owner?: string } = {},
) {
  const upload = { reference, file: FILE, idempotencyKey: 'k', digest, owner }
  const { fileReference } = await braintree.adapter.uploadFile(upload)
  return { reference, idempotencyKey: 'k', digest, owner, files: { PROOF_OF_DELIVERY: fileReference }, texts }
}

export async function opened(braintree: Simulated) {
  const [reference = ''] = await braintree.create({ count: 1, status: 'open', stage: 'chargeback', dueInHours: 200 })
  return { reference, first: await packetOf(braintree, reference, { GENERAL: 'It arrived.', PURCHASER_NAME: 'Ada' }) }
}

export async function entriesOf(braintree: Simulated, reference: string): Promise<Anything[]> {
  return JSON.parse((await braintree.adapter.fetchDispute(reference)).text).evidence
}

export const contentsOf = async (braintree: Simulated, reference: string): Promise<string[]> =>
  (await entriesOf(braintree, reference)).map(({ comment }) => comment ?? 'document').sort()

export const put = (braintree: Simulated, reference: string, evidence: object[]) =>
  braintree.control('PATCH', `/disputes/${reference}`, { fields: { evidence } })

export const finalized = (braintree: Simulated) => braintree.calls().filter((call) => call.endsWith('/finalize')).length
export const WHOLE = ['Ada', 'It arrived.', 'document']
