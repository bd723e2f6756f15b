/** Digits after the point of currencies that don't have two. */
const DIGITS: readonly [digits: number, codes: string][] = [
  [0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'],
  [3, 'BHD IQD JOD KWD LYD OMR TND'],
  [4, 'CLF UYW'],
]

/**
 * `1911.2` with two digits: `1,911.20`. PSPs have more digits than some currencies: up to four are shown, so nothing of an
 * amount is rounded away. By hand, because the first formatter of `Intl` takes a browser longer than fifty rows do.
 */
export function figure(value: number, digits = 0): string {
  const [whole = '', fraction = ''] = Math.abs(value).toFixed(4).split('.')
  const shown = fraction.replace(/0+$/, '').padEnd(digits, '0')
  const text = `${whole.replace(/\B(?=(\d{3})+$)/g, ',')}${shown && `.${shown}`}`
  return value < 0 ? `-${text}` : text
}

/** Amount with the code of its currency; never converted. An amount that the PSP did not tell is a dash. */
export function money(amount: number | undefined, currency = ''): string {
  if (amount === undefined) return `${currency} –`.trim()
  if (!/^[A-Z]{3}$/.test(currency)) return `${currency}\u00a0${amount}`
  const [digits = 2] = DIGITS.find(([, codes]) => codes.includes(currency)) ?? []
  return `${currency}\u00a0${figure(amount, digits)}`
}

/** Sums of each currency, as text; currencies are never added. */
export function sums(items: readonly { amount?: number; currency?: string }[]): string {
  const totals = new Map<string, number>()
  for (const { amount = 0, currency = '' } of items) totals.set(currency, (totals.get(currency) ?? 0) + amount)
  return [...totals]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([currency, total]) => money(Math.round(total * 10_000) / 10_000, currency))
    .join(' · ')
}
