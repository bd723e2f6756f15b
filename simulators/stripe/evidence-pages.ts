import { createHash } from 'node:crypto'
import type Stripe from 'stripe'
import type { JsonObject } from '../engine/contract.ts'
import type { StripeRequest } from './endpoint.ts'
import { StripeRefusal } from './errors.ts'
import { textLength } from './evidence-fields.ts'
import { FILE_FIELDS, TEXT_FIELDS } from './specs.ts'

/** What fits on a compiled page, and the most pages a network takes: our estimate of Stripe's estimate. */
const CHARACTERS_PER_PAGE = 3000
const MAX_PAGES = 50
const MAX_PAGES_MASTERCARD = 19

/** The compiled evidence must fit, even if only staged. @throws StripeRefusal 400 */
export function checkPages({ account }: StripeRequest, dispute: Stripe.Dispute): void {
  let pages = Math.ceil(textLength(dispute) / CHARACTERS_PER_PAGE)
  for (const id of fileIds(dispute)) pages += pagesIn(account.fileById.get(id)?.content)
  const most = dispute.payment_method_details?.card?.network === 'mastercard' ? MAX_PAGES_MASTERCARD : MAX_PAGES
  if (pages <= most) return
  throw new StripeRefusal(400, {
    type: 'invalid_request_error',
    code: 'dispute_evidence_page_limit_exceeded',
    message: `The evidence has about ${pages} pages; this network takes ${most}.`,
  })
}

function pagesIn(content: Buffer | undefined): number {
  if (!content) return 0
  return Math.max(1, content.toString('latin1').match(/\/Type\s*\/Page(?!s)/g)?.length ?? 0)
}

function fileIds(dispute: Stripe.Dispute): string[] {
  const evidence = dispute.evidence as unknown as Record<string, unknown>
  const plain = FILE_FIELDS.map((name) => evidence[name]).filter((id) => typeof id === 'string')
  return [...plain, ...(dispute.evidence.appeal?.card?.supporting_files ?? [])]
}

/** The submitted content, so that a harness can compare it with the plan; texts as hashes. */
export function describeSubmission({ account }: StripeRequest, dispute: Stripe.Dispute): JsonObject {
  const evidence = dispute.evidence as unknown as Record<string, unknown>
  const files: JsonObject = {}
  for (const name of FILE_FIELDS) {
    const id = evidence[name]
    if (typeof id === 'string') files[name] = { file: id, sha256: account.fileById.get(id)?.sha256 ?? null }
  }
  const texts: JsonObject = {}
  for (const name of Object.keys(TEXT_FIELDS)) {
    const text = evidence[name]
    if (typeof text === 'string') texts[name] = createHash('sha256').update(text).digest('hex')
  }
  const supporting = (dispute.evidence.appeal?.card?.supporting_files ?? []).map((id) => ({
    file: id,
    sha256: account.fileById.get(id)?.sha256 ?? null,
  }))
  const compelling = dispute.evidence.enhanced_evidence.visa_compelling_evidence_3
  return {
    files,
    texts,
    supporting,
    submissionCount: dispute.evidence_details.submission_count,
    ...(compelling && {
      compellingEvidence: {
        status: dispute.evidence_details.enhanced_eligibility.visa_compelling_evidence_3?.status ?? null,
        charges: compelling.prior_undisputed_transactions.map((prior) => prior.charge),
      },
    }),
  }
}
