import { applyAcceptance, applySubmission } from '../../../adapters/sandbox/rules.ts'
import { asDispute as asAdyen } from '../../../simulators/adyen/dispute.ts'
import { acceptAtAdyen, defendAtAdyen } from '../../../simulators/adyen/lifecycle.ts'
import { acceptDispute, finalizeDispute } from '../../../simulators/braintree/lifecycle.ts'
import type { JsonObject } from '../../../simulators/engine/contract.ts'
import { concede, setStatus } from '../../../simulators/paypal/lifecycle.ts'
import { asDispute as asStripe, closeDispute, markSubmitted } from '../../../simulators/stripe/lifecycle.ts'
import type { Act } from '../crash.ts'
import { checkEnd } from '../ends.ts'
import type { CommandKind } from '../steps.ts'
import { hashOf } from '../testbed/documents.ts'
import type { Dispute, Testbed } from '../testbed/prepare.ts'
import type { AdapterName } from '../testbed/psps.ts'

/** What a human does in the PSP's dashboard while our command is running. The PSP's ledger does not record it. */
export const HUMAN_ACTIONS = ['accepts', 'submits', 'adds', 'takes_away'] as const
export type HumanAction = (typeof HUMAN_ACTIONS)[number]

/** Marks what the human added. */
const BY_HAND = 'written-by-hand'

/** `own`: ids of the files that we uploaded for this dispute. `at`: the PSP's time, unix seconds. */
type Hand = (dispute: JsonObject, at: number, own: readonly string[]) => void

const HANDS: Record<AdapterName, Partial<Record<HumanAction, Hand>>> = {
  stripe: {
    accepts: (dispute) => closeDispute(asStripe(dispute)),
    submits: (dispute) => markSubmitted(asStripe(dispute), 'manual'),
    adds: (dispute) => void Object.assign(dispute.evidence as JsonObject, { uncategorized_text: BY_HAND }),
    takes_away(dispute, _, own) {
      const evidence = dispute.evidence as JsonObject
      for (const [field, value] of Object.entries(evidence)) if (own.includes(String(value))) evidence[field] = null
    },
  },
  paypal: {
    accepts: concede,
    submits(dispute, at) {
      const entry = { notes: BY_HAND, source: 'SUBMITTED_BY_SELLER', date: new Date(at * 1000).toISOString() }
      dispute.evidences = [...((dispute.evidences ?? []) as JsonObject[]), entry]
      delete dispute.seller_response_due_date
      setStatus(dispute, 'UNDER_REVIEW')
    },
  },
  braintree: {
    accepts: acceptDispute,
    submits: finalizeDispute,
    adds(dispute, at) {
      const entry = { id: BY_HAND, category: 'GENERAL', comment: BY_HAND, url: null, sentToProcessorAt: null }
      const more = { createdAt: new Date(at * 1000).toISOString(), sequenceNumber: null }
      dispute.evidence = [...(dispute.evidence as JsonObject[]), { ...entry, ...more }]
    },
    takes_away(dispute, _, own) {
      const evidence = dispute.evidence as JsonObject[]
      dispute.evidence = evidence.filter(({ url }) => !own.some((id) => String(url).includes(id)))
    },
  },
  adyen: {
    accepts: acceptAtAdyen,
    submits: defendAtAdyen,
    adds: (dispute) => void Object.assign(asAdyen(dispute).simulated.documents, { TIDorInvoice: BY_HAND }),
    takes_away(dispute) {
      asAdyen(dispute).simulated.documents = {}
    },
  },
  recoup_sandbox: {
    accepts: (dispute, at) => applyAcceptance(dispute, new Date(at * 1000)),
    submits: (dispute, at) => applySubmission(dispute, 'f'.repeat(64), new Date(at * 1000)),
  },
}

export const canDo = (adapter: AdapterName, deed: HumanAction): boolean => HANDS[adapter][deed] !== undefined

/** Each human acts while the command is held, then all commands are released. */
export const actByHand: Act = async (testbed, { release }, subjects) => {
  for (const { cell, dispute } of subjects) {
    const deed = cell.strike.split(':')[1] as HumanAction
    const engine = testbed.engines[dispute.adapter]
    const record = engine.find(dispute.reference)
    const own = (await ownFiles(testbed, dispute)).map(({ id }) => id)
    if (record) engine.change(record, (object) => HANDS[dispute.adapter][deed]?.(object, engine.now(), own))
  }
  await release()
}

/** The PSP's ids of our uploads for the dispute: each document belongs to one dispute only. */
async function ownFiles({ engines }: Testbed, dispute: Dispute): Promise<{ id: string }[]> {
  const sha256 = await hashOf(dispute)
  const { effects } = engines[dispute.adapter].ledger
  return effects.flatMap(({ kind, details }) =>
    kind === 'upload' && details.sha256 === sha256 ? [{ id: String(details.file ?? details.id) }] : [],
  )
}

/**
 * The command ends as the PSP shows, and I6: the submission has the planned evidence, unchanged, and what the human
 * added; or the command has failed.
 */
export async function checkEndAfterHuman(
  testbed: Testbed,
  dispute: Dispute,
  command: CommandKind,
  deed: HumanAction,
): Promise<string[]> {
  const { adapter, reference, chargebackId } = dispute
  const engine = testbed.engines[adapter]
  const why = await checkEnd(testbed, dispute, command, deed === 'submits')
  const { status } = await testbed.stack.db
    .selectFrom('command')
    .select('status')
    .where('chargeback_id', '=', chargebackId)
    .executeTakeFirstOrThrow()
  const staged = canDo(adapter, 'adds')
  if (status !== 'succeeded' || command !== 'submission') return why
  const record = engine.find(reference)
  const there = record ? engine.text(record) : ''
  if (staged && !(await ownFiles(testbed, dispute)).some(({ id }) => there.includes(id)))
    why.push('I6: reported as succeeded, but our document is not in the submission')
  if (deed === 'adds' && !there.includes(BY_HAND)) why.push('I6: what the human had added is missing')
  return why
}
