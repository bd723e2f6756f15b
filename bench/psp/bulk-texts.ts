import type { DisputePlan } from '../../simulators/engine/contract.ts'
import { createDisputes } from '../../simulators/engine/create.ts'
import { openEngine } from '../../simulators/engine/serve.ts'
import { stripeSimulator } from '../../simulators/stripe/index.ts'

const DAY = 86_400
/** Disputes of all situations and reasons, which the others are copies of. */
const PATTERNS = 500
const SPAN = 60 * DAY
/** Disputes whose texts are in one piece of memory. */
const CHUNK = 5_000
const PREFIX = 'du_1bulk'
const TOKEN_DIGITS = 18

const tokenOf = (number: number) => `bulk${String(number).padStart(TOKEN_DIGITS, '0')}`

/** Number of a dispute by its id; null = none of ours. */
export const numberOf = (reference: string): number | null =>
  reference.startsWith(PREFIX) && /^\d+$/.test(reference.slice(PREFIX.length))
    ? Number(reference.slice(PREFIX.length))
    : null

/** Stripe disputes as JSON, newest first, serialised when they are made. */
export interface BulkTexts {
  count(): number
  /** Unix seconds; falls, or stays, from one position to the next. */
  createdAt(position: number): number
  /** Position of a dispute by its id; null = unknown. */
  positionOf(reference: string): number | null
  /** The bytes of disputes `from` to `until`, with commas between. */
  slices(from: number, until: number): Buffer[]
  /** Adds newer ones. */
  prepend(count: number): void
  /** Gives about `share` of them, 0 to 1, another due date. */
  change(share: number): void
}

/** @param corrupt makes the text of a dispute malformed, by its number */
export function makeTexts(count: number, corrupt?: (text: string, number: number) => string): BulkTexts {
  const patterns = makePatterns()
  // The oldest dispute still waits for a response, so that a client that reads back to it reads all of them.
  const open = patterns.findIndex(({ text }) => text.includes('"status":"needs_response"'))
  const shift = (((open - (count - 1)) % patterns.length) + patterns.length) % patterns.length
  const newest = Math.floor(Date.now() / 1000) - 3_600
  const createdOf = (number: number) =>
    number < count ? newest - Math.floor((number * SPAN) / count) : newest + (number - count + 1)
  const textOf = (number: number) => {
    const { text, token, createdAt } = patterns[(number + shift) % patterns.length] as Pattern
    const made = text
      .replaceAll(token, tokenOf(number))
      .replaceAll(`"created":${createdAt}`, `"created":${createdOf(number)}`)
    return Buffer.from(corrupt ? corrupt(made, number) : made)
  }
  const chunks: { bytes: Buffer; starts: Uint32Array }[] = []
  for (let from = 0; from < count; from += CHUNK) {
    const texts = Array.from({ length: Math.min(CHUNK, count - from) }, (_, index) => textOf(from + index))
    chunks.push(joined(texts))
  }
  /** Newest last. */
  const added: Buffer[] = []

  function baseSlices(from: number, until: number): Buffer[] {
    const slices: Buffer[] = []
    for (let at = from; at < until; ) {
      const chunk = chunks[Math.floor(at / CHUNK)]
      if (!chunk) break
      const first = at % CHUNK
      const end = Math.min(until - at + first, chunk.starts.length - 1)
      // Each text has a comma behind it; the last one's is left out.
      slices.push(chunk.bytes.subarray(chunk.starts[first], (chunk.starts[end] ?? 0) - 1))
      at += end - first
    }
    return slices
  }

  return {
    count: () => count + added.length,
    createdAt: (position) =>
      createdOf(position < added.length ? count + added.length - 1 - position : position - added.length),
    positionOf(reference) {
      const number = numberOf(reference)
      if (number === null || number >= count + added.length) return null
      return number < count ? number + added.length : added.length - 1 - (number - count)
    },
    slices(from, until) {
      const end = Math.min(until, count + added.length)
      const head = Array.from(
        { length: Math.max(0, Math.min(end, added.length) - from) },
        (_, index) => added[added.length - 1 - (from + index)] as Buffer,
      )
      return [...head, ...baseSlices(Math.max(0, from - added.length), end - added.length)]
    },
    prepend(more) {
      for (let n = 0; n < more; n++) added.push(textOf(count + added.length))
    },
    change(share) {
      const step = Math.max(1, Math.round(1 / share))
      for (let number = step - 1; number < count; number += step) {
        const { bytes, starts } = chunks[Math.floor(number / CHUNK)] as (typeof chunks)[number]
        later(bytes.subarray(starts[number % CHUNK], starts[(number % CHUNK) + 1]))
      }
    },
  }
}

interface Pattern {
  text: string
  token: string
  createdAt: number
}

/** With due dates of ten digits only, so that a change needs no room. */
function makePatterns(): Pattern[] {
  const engine = openEngine(stripeSimulator, { seed: 'bulk' })
  const records = createDisputes(engine, { count: PATTERNS * 2, account: stripeSimulator.profile.homeAccount })
  const plans = records.map(({ plan }) => plan).filter((plan): plan is DisputePlan => plan !== null)
  const patterns = plans
    .map((plan) => ({
      text: JSON.stringify(stripeSimulator.profile.build(plan)),
      token: plan.token,
      createdAt: plan.createdAt,
    }))
    .filter(({ text }) => DUE.test(text))
  engine.close()
  return patterns.slice(0, PATTERNS)
}

const DUE = /"due_by":\d{10}/
const DUE_NAME = Buffer.from('"due_by":')

/** Adds a day to the due date in place: its last digits change, its length does not. */
function later(text: Buffer): void {
  const at = text.indexOf(DUE_NAME) + DUE_NAME.length
  text.write(String(Number(text.toString('latin1', at, at + 10)) + DAY), at, 'latin1')
}

function joined(texts: Buffer[]): { bytes: Buffer; starts: Uint32Array } {
  const starts = new Uint32Array(texts.length + 1)
  for (const [index, text] of texts.entries()) starts[index + 1] = (starts[index] ?? 0) + text.length + 1
  const bytes = Buffer.allocUnsafeSlow(starts[texts.length] ?? 0)
  for (const [index, text] of texts.entries()) {
    text.copy(bytes, starts[index])
    bytes.write(',', (starts[index + 1] ?? 0) - 1)
  }
  return { bytes, starts }
}
