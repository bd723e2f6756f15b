const formats = new Map<string, Intl.NumberFormat | null>()

function formatOf(currency: string): Intl.NumberFormat | null {
  let format = formats.get(currency)
  if (format === undefined) {
    try {
      const style = { style: 'currency', currency, currencyDisplay: 'code' } as const
      // PSPs have decimals where Intl has none: nothing of an amount is rounded away.
      const { minimumFractionDigits = 2 } = new Intl.NumberFormat('en-GB', style).resolvedOptions()
      format = new Intl.NumberFormat('en-GB', { ...style, minimumFractionDigits, maximumFractionDigits: 4 })
    } catch {
      // A code that Intl refuses.
      format = null
    }
    formats.set(currency, format)
  }
  return format
}

/** Amount with the code of its currency; never converted. An amount that the PSP did not tell is a dash. */
export function money(amount: number | undefined, currency = ''): string {
  if (amount === undefined) return `${currency} –`.trim()
  const format = formatOf(currency)
  return format ? format.format(amount) : `${currency}\u00a0${amount}`
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
