import type { DisputePlan, DisputeRecord, JsonObject } from '../engine/contract.ts'
import { merchantAccountOf } from './dispute.ts'
import type { BraintreeRequest } from './endpoint.ts'
import { BraintreeRefusal, invalid } from './errors.ts'
import { checkFinalize } from './finalize.ts'
import { acceptDispute, finalizeDispute } from './lifecycle.ts'
import { matcherOf } from './search.ts'
import { CURRENCIES } from './situations.ts'
import { buildTransaction } from './transaction.ts'
import { collection, document, element } from './xml.ts'

/** Seconds until the sandbox decides by `compelling_evidence` and `losing_evidence`. */
const DECIDES_AFTER = 3

type Answer = { status: 200 | 201; body: string }

export function ok(root: string, status: 200 | 201 = 200): Answer {
  return { status, body: document(root) }
}

export function recordOf({ account, id }: BraintreeRequest): DisputeRecord {
  const record = account.byReference.get(id)
  if (!record) throw new BraintreeRefusal(404)
  return record
}

/** POST /disputes/advanced_search?page=N: newest first. */
export function searchDisputes({ engine, account, body, page, switches }: BraintreeRequest): Answer {
  const matches = matcherOf(engine, body.search)
  const found = account.disputes.all().filter(matches).reverse()
  const { pageSize } = switches
  const rows = found
    .slice((page - 1) * pageSize, page * pageSize)
    .map((record) => element('dispute', engine.read(record)))
  return ok(collection('disputes', { number: page, size: pageSize, total: found.length }, rows))
}

/** GET /disputes/{id} */
export function findDispute(request: BraintreeRequest): Answer {
  return ok(element('dispute', request.engine.read(recordOf(request))))
}

/** PUT /disputes/{id}/accept */
export function accept(request: BraintreeRequest): Answer {
  const { engine, account, requestId } = request
  const record = recordOf(request)
  if (record.word !== 'open') throw invalid('95704', 'status')
  engine.setPending(record, null)
  engine.change(record, (dispute) => acceptDispute(dispute, engine.now()))
  const { reference: ref, round } = record
  engine.ledger.effect({
    kind: 'acceptance',
    account: account.id,
    ref,
    round,
    idempotencyKey: null,
    requestId,
    details: {},
  })
  return acted(request, record)
}

/** PUT /disputes/{id}/finalize: submits the evidence, once. */
export function finalize(request: BraintreeRequest): Answer {
  const { engine, account, requestId, switches } = request
  const record = recordOf(request)
  if (record.word !== 'open') throw invalid('95705', 'status')
  const evidence = evidenceOf(engine.read(record))
  checkFinalize(evidence, switches.evidenceRequired)
  engine.change(record, (dispute) => finalizeDispute(dispute, engine.now()))
  const { reference: ref, round } = record
  const texts = evidence.map((entry) => entry.comment)
  engine.ledger.effect({
    kind: 'submission',
    account: account.id,
    ref,
    round,
    idempotencyKey: null,
    requestId,
    details: { evidence },
  })
  const outcome = texts.includes('compelling_evidence') ? 'won' : texts.includes('losing_evidence') ? 'lost' : null
  if (outcome !== null) engine.setPending(record, { at: engine.now() + DECIDES_AFTER, outcome })
  return acted(request, record)
}

export function evidenceOf(dispute: JsonObject): JsonObject[] {
  return Array.isArray(dispute.evidence) ? (dispute.evidence as JsonObject[]) : []
}

/** Braintree does not document this response, and its SDKs expect different ones. */
function acted({ engine, switches }: BraintreeRequest, record: DisputeRecord): Answer {
  if (switches.answers === 'empty') return { status: 200, body: '' }
  if (switches.answers === 'space') return { status: 200, body: ' ' }
  return ok(element('dispute', engine.read(record)))
}

/** GET /transactions/{id} */
export function findTransaction({ account, id }: BraintreeRequest): Answer {
  const planted = account.planted.get(id)
  if (planted !== undefined) return ok(element('transaction', JSON.parse(planted)))
  const plan: DisputePlan | null | undefined = account.byLink.get(id)?.find((record) => record.plan !== null)?.plan
  if (!plan) throw new BraintreeRefusal(404)
  return ok(element('transaction', buildTransaction(plan)))
}

const ACCOUNTS_ON_A_PAGE = 50

/** GET /merchant_accounts: one per currency, and those that disputes name. */
export function listMerchantAccounts({ engine, account, page }: BraintreeRequest): Answer {
  const codes = new Set(CURRENCIES.map(({ code }) => merchantAccountOf(code)))
  // An unchanged dispute names the account of its currency; only a changed one may name another.
  for (const record of account.disputes.all()) {
    const named = record.text === null ? null : engine.read(record).merchantAccountId
    if (typeof named === 'string') codes.add(named)
  }
  const rows = [...codes].map((id) => {
    const currency = CURRENCIES.find(({ code }) => merchantAccountOf(code) === id)
    const currencyIsoCode = currency?.code ?? 'USD'
    return element('merchantAccount', {
      id,
      status: 'active',
      currencyIsoCode,
      default: id === merchantAccountOf('USD'),
    })
  })
  const shown = rows.slice((page - 1) * ACCOUNTS_ON_A_PAGE, page * ACCOUNTS_ON_A_PAGE)
  return ok(collection('merchant-accounts', { number: page, size: ACCOUNTS_ON_A_PAGE, total: rows.length }, shown))
}
