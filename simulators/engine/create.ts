import type { DisputePlan, DisputeRecord, JsonObject, PspProfile, ReasonWord, Situation } from './contract.ts'
import { type Draw, drawFrom, tokenOf } from './draw.ts'
import type { DisputeEngine } from './engine.ts'

const DAY = 86_400
const FIRST_LOAD_DAYS = 60
const FRESH_DAYS = 0.01

/** Properties of ordered disputes; omitted ones vary. */
export interface Order {
  count: number
  account: string
  /** Recoup's pspStatus or the PSP's own value. */
  status?: string | undefined
  /** Recoup's lifecycleStage. */
  stage?: string | undefined
  /** Network reason code or the PSP's own value. */
  reason?: string | undefined
  /** One of the PSP's variants of a situation, if stage and status are ambiguous. */
  variant?: string | undefined
  currency?: string | undefined
  /** Decimal in `currency`, e.g. "10.99". */
  amount?: string | undefined
  dueInHours?: number | null | undefined
  /**
   * Spreads the posting dates over that many days. Default: 60 for an account that was never read; later ones are
   * newer.
   */
  ageDays?: number | undefined
}

/** An order that this PSP can't fulfil; the message names the alternatives. */
export class ImpossibleOrder extends Error {}

/** Creates disputes: unspecified properties cycle through every situation of the PSP, deterministically by seed. */
export function createDisputes(engine: DisputeEngine, order: Order): DisputeRecord[] {
  const { profile } = engine
  const situations = situationsFor(engine, order)
  // After the empty account was read, new disputes must have current dates.
  const seen = engine.knows(order.account)
  const account = engine.account(order.account)
  const now = engine.now()
  const newest = account.disputes.newest()?.at
  const spread = (order.ageDays ?? (seen ? FRESH_DAYS : FIRST_LOAD_DAYS)) * DAY
  const oldest = newest === undefined || order.ageDays !== undefined ? now - spread : Math.min(newest, now)
  const latest = now - Math.min(300, Math.floor((now - oldest) / 2))
  const records: DisputeRecord[] = []
  let previous: number | undefined
  for (let i = 0; i < order.count; i++) {
    const sequence = engine.nextNumber(account)
    const token = tokenOf(22, engine.seed, 'dispute', account.id, sequence)
    const draw = drawFrom(`${token} plan`)
    const situation = situations[i % situations.length]
    if (situation === undefined) throw new ImpossibleOrder('no situation left')
    // Some disputes share their second with the previous one, so that lists must distinguish them by id.
    const tie: number | undefined = i % 5 === 4 ? previous : undefined
    const createdAt: number = tie ?? draw.between(oldest, Math.max(oldest, latest))
    previous = createdAt
    const money = moneyFor(engine, order, draw)
    const plan: DisputePlan = {
      token,
      reference: profile.referenceOf(token),
      account: account.id,
      situation: profile.situations.indexOf(situation),
      reason: reasonFor(engine, situation, order.reason, draw),
      createdAt,
      chargedAt: createdAt - draw.between(2 * DAY, 75 * DAY),
      dueAt: dueFor(situation, order.dueInHours, createdAt, now, draw),
      appearedAt: newest === undefined ? null : now,
      endedAt: draw.between(createdAt, Math.max(createdAt, Math.min(now, createdAt + 40 * DAY))),
      ...money,
    }
    records.push(insertPlan(engine, plan, sequence))
  }
  return records
}

function insertPlan(engine: DisputeEngine, plan: DisputePlan, sequence: number): DisputeRecord {
  const reading = engine.profile.read(engine.profile.build(plan))
  const { word, deadline } = reading
  const { reference, account, createdAt: at } = plan
  const record: DisputeRecord = {
    reference,
    account,
    at,
    sequence,
    plan,
    text: null,
    word,
    deadline,
    pending: null,
    round: 1,
  }
  engine.insert(record, reading)
  for (const first of engine.profile.firstEvents(plan)) {
    const number = engine.nextNumber(engine.account(account))
    const id = `evt_${tokenOf(24, engine.seed, 'event', account, number)}`
    engine.insertEvent({ ...first, id, account, reference, text: null, previous: null, sequence: number })
  }
  return record
}

/** Adds an object unchanged; `text` must be JSON. */
export function plantDispute(engine: DisputeEngine, account: string, reference: string, text: string): DisputeRecord {
  const reading = engine.profile.read(JSON.parse(text) as JsonObject)
  const { word, deadline, createdAt } = reading
  const sequence = engine.nextNumber(engine.account(account))
  const at = createdAt ?? engine.now()
  const record: DisputeRecord = {
    reference,
    account,
    at,
    sequence,
    plan: null,
    text,
    word,
    // An old sample must not expire at once: it is kept unchanged.
    deadline: deadline !== null && deadline > engine.now() ? deadline : null,
    pending: null,
    round: 1,
  }
  engine.insert(record, reading)
  for (const draft of engine.profile.plantedEvents?.(JSON.parse(text) as JsonObject) ?? []) {
    const number = engine.nextNumber(engine.account(account))
    const id = `evt_${tokenOf(24, engine.seed, 'event', account, number)}`
    engine.insertEvent({ ...draft, id, account, reference, text, at, sequence: number })
  }
  return record
}

/** Situations that match the order, the reason included; no other is used silently. */
function situationsFor({ profile }: DisputeEngine, { status, stage, variant, reason }: Order): Situation[] {
  const anything = [status, stage, variant, reason].every((wish) => wish === undefined)
  const standing = profile.situations.filter(
    (s) =>
      (status === undefined || s.status === status || s.word === status) &&
      (stage === undefined || s.stage === stage) &&
      (variant === undefined ? anything || !s.special : s.variant === variant),
  )
  if (standing.length === 0) {
    const known = [...new Set(profile.situations.map((s) => `${s.status} (${s.word}) in ${s.stage}`))]
    throw new ImpossibleOrder(`this PSP has no dispute with that status and stage; it has: ${known.join(', ')}`)
  }
  const kinds = reasonsNamed(profile, reason).map((r) => r.kind)
  const fitting = standing.filter((s) => s.reasonKinds.some((kind) => kinds.includes(kind)))
  if (fitting.length > 0) return fitting
  const others = profile.reasons.filter((r) => standing.some((s) => s.reasonKinds.includes(r.kind)))
  const known = [...new Set(others.map((r) => r.code ?? r.word))]
  throw new ImpossibleOrder(
    `at this PSP no dispute with that status and stage has the reason ${reason}; such disputes have: ${known.join(', ')}`,
  )
}

/** @throws ImpossibleOrder for a reason that this PSP does not have */
function reasonsNamed(profile: PspProfile, wanted: string | undefined): readonly ReasonWord[] {
  const named = profile.reasons.filter((r) => r.word === wanted || (!r.special && [r.code, undefined].includes(wanted)))
  if (named.length > 0) return named
  const known = [...new Set(profile.reasons.flatMap((r) => [r.code, r.word]))].filter((word) => word !== null)
  throw new ImpossibleOrder(`unknown reason ${wanted}; known: ${known.join(', ')}`)
}

function reasonFor({ profile }: DisputeEngine, situation: Situation, wanted: string | undefined, draw: Draw): number {
  const fitting = reasonsNamed(profile, wanted).filter((r) => situation.reasonKinds.includes(r.kind))
  return profile.reasons.indexOf(draw.one(fitting))
}

function moneyFor(
  { profile }: DisputeEngine,
  order: Order,
  draw: Draw,
): Pick<DisputePlan, 'amount' | 'chargeAmount' | 'currency'> {
  const wanted = order.currency?.toUpperCase()
  const currency =
    wanted === undefined ? drawCurrency(profile, draw) : profile.currencies.find((c) => c.code === wanted)
  if (currency === undefined) {
    throw new ImpossibleOrder(`unknown currency ${wanted}; known: ${profile.currencies.map((c) => c.code).join(', ')}`)
  }
  const unit = 10 ** currency.exponent
  const step = currency.exponent === 3 ? 10 : 1
  const drawn = Math.max(
    step,
    Math.floor(draw.between(5 * unit, 400 * unit) / step) * step * (currency.exponent === 0 ? 100 : 1),
  )
  const amount = order.amount === undefined ? drawn : minorUnits(order.amount, currency.exponent, currency.code)
  // One in eight disputes covers a part of its charge.
  const chargeAmount = draw.chance(12) ? amount + Math.max(step, Math.floor(amount / (4 * step)) * step) : amount
  return { amount, chargeAmount, currency: currency.code }
}

function drawCurrency({ currencies }: PspProfile, draw: Draw): PspProfile['currencies'][number] | undefined {
  let left = draw.between(
    1,
    currencies.reduce((sum, { weight }) => sum + weight, 0),
  )
  return currencies.find(({ weight }) => {
    left -= weight
    return left <= 0
  })
}

/** Digits are shifted as text: "10.99" at 2 is 1099. */
export function minorUnits(decimal: string, exponent: number, currency: string): number {
  const [whole = '', fraction = ''] = decimal.split('.')
  if (!/^\d+$/.test(whole) || !/^\d*$/.test(fraction) || fraction.length > exponent) {
    throw new ImpossibleOrder(
      `amount must be a positive decimal with at most ${exponent} digits after the point for ${currency}`,
    )
  }
  return Number(whole + fraction.padEnd(exponent, '0'))
}

function dueFor(
  situation: Situation,
  dueInHours: number | null | undefined,
  createdAt: number,
  now: number,
  draw: Draw,
): number | null {
  if (dueInHours === null) return null
  if (dueInHours !== undefined) return Math.round(now + dueInHours * 3600)
  if (situation.stage === 'alert') return null
  // A PSP with a resolution of days uses the start of the day, which still leaves an open dispute half a day.
  if (situation.open) return now + draw.between(36 * 3600, 20 * DAY)
  return createdAt + draw.between(7 * DAY, 20 * DAY)
}
