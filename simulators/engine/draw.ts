import { createHash } from 'node:crypto'

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** A deterministic token of `length` (≤ 30) letters and digits from its arguments. */
export function tokenOf(length: number, ...parts: (string | number)[]): string {
  const digest = createHash('sha256').update(parts.join('\u0001')).digest()
  let token = ''
  for (let i = 0; i < length; i++) token += DIGITS[(digest[i] ?? 0) % DIGITS.length]
  return token
}

export interface Draw {
  /** A whole number from `from` to `to`, both included. */
  between(from: number, to: number): number
  /** One of the values. */
  one<T>(values: readonly T[]): T
  /** True in `percent` of 100 cases. */
  chance(percent: number): boolean
  digits(count: number): string
}

/** The same seed gives the same sequence on every machine. */
export function drawFrom(seed: string): Draw {
  let state = hashOf(seed)
  function next(): number {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
  function between(from: number, to: number): number {
    return from + Math.floor(next() * (to - from + 1))
  }
  return {
    between,
    one<T>(values: readonly T[]): T {
      const value = values[between(0, values.length - 1)]
      if (value === undefined) throw new Error('nothing to draw from')
      return value
    },
    chance: (percent) => next() * 100 < percent,
    digits: (count) => Array.from({ length: count }, () => between(0, 9)).join(''),
  }
}

/** FNV-1a, which is fast, because every object is generated each time it is shown. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash
}
