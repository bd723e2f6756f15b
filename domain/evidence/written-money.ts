import { currencyExponent, decimalToMinor } from '../money.ts'

/** An amount as a client or a PSP wrote it. */
export interface WrittenMoney {
  minor: bigint
  currency: string
  /** Digits of the minor unit. */
  exponent: number
}

const WRITTEN = /^(\d{1,15}(?:\.\d{1,4})?)(?: ?([A-Z]{3}))?$/

/**
 * Reads `12`, `"12.00"`, `"12.00 USD"` or `{"amount": "12.00", "currency": "USD"}`; without a currency it is `currency`.
 * Null for an unknown currency, a negative amount, a fraction of a minor unit, or another form: `1,200` has two meanings.
 */
export function readMoney(value: unknown, currency: string | null): WrittenMoney | null {
  if (typeof value === 'object' && value !== null) {
    const { amount, currency: own } = value as { amount?: unknown; currency?: unknown }
    return typeof amount === 'object' || typeof own !== 'string' ? null : readMoney(amount, own.trim().toUpperCase())
  }
  const text = typeof value === 'number' ? String(value) : typeof value === 'string' ? value.trim() : ''
  const [, decimal, named] = WRITTEN.exec(text) ?? []
  const code = named ?? currency
  const exponent = code === null ? undefined : currencyExponent(code)
  if (decimal === undefined || code === null || exponent === undefined) return null
  try {
    return { minor: decimalToMinor(decimal, exponent), currency: code, exponent }
  } catch {
    return null
  }
}

/** `129.90 USD`, `1,250 JPY`: all digits of the minor unit, thousands by commas, no symbol. */
export function writeMoney({ minor, currency, exponent }: WrittenMoney): string {
  const digits = minor.toString().padStart(exponent + 1, '0')
  const whole = digits.slice(0, digits.length - exponent).replaceAll(/\B(?=(\d{3})+$)/g, ',')
  return `${whole}${exponent > 0 ? `.${digits.slice(-exponent)}` : ''} ${currency}`
}
