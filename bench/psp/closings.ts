import type { BulkTexts } from './bulk-texts.ts'

export interface Closing {
  /** Key of the account. */
  key: string
  reference: string
  /** ms of the clock. */
  at: number
}

/** Single disputes of the bulk Stripe, which an account can close. */
export interface Closings {
  /** The response to a read or a close of one dispute; null for any other request. */
  answer(key: string, method: string, path: string): Buffer | null
  /** As `BulkTexts.slices`, with what the account has closed. */
  slices(key: string, from: number, until: number): Buffer[]
  taken(): Closing[]
}

export function rememberClosings(texts: BulkTexts): Closings {
  const closed = new Map<string, Set<number>>()
  let taken: Closing[] = []
  const textOf = (key: string, position: number): Buffer => {
    const [text = Buffer.alloc(0)] = texts.slices(position, position + 1)
    if (!closed.get(key)?.has(position)) return text
    return Buffer.from(JSON.stringify({ ...JSON.parse(text.toString('utf8')), status: 'lost' }))
  }
  return {
    answer(key, method, path) {
      const [, reference, close] = /^\/v1\/disputes\/(\w+)(\/close)?$/.exec(path) ?? []
      const position = reference === undefined ? null : texts.positionOf(reference)
      if (reference === undefined || position === null) return null
      if (close && method === 'POST') {
        const own = closed.get(key) ?? new Set()
        if (!own.has(position)) taken.push({ key, reference, at: Date.now() })
        closed.set(key, own.add(position))
      }
      return textOf(key, position)
    },
    slices(key, from, until) {
      if (!closed.has(key)) return texts.slices(from, until)
      return Array.from({ length: until - from }, (_, index) => textOf(key, from + index))
    },
    taken() {
      const answer = taken
      taken = []
      return answer
    },
  }
}
