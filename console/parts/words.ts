/** `transactionOrderDeviceId` → `Order device id`: a data point's name as a label. */
export function labelOf(name: string): string {
  const words = name
    .replace(/^transaction(?=[A-Z])/, '')
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** How a data point is asked for, by its name: the API takes any JSON value. */
export function inputOf(name: string): 'yes-no' | 'date' | 'text' {
  if (/^(liabilityShift|signedDelivery|usageAfterPurchase|refundProof|policyAccepted|is[A-Z]\w*)$/.test(name))
    return 'yes-no'
  return /Date$/.test(name) ? 'date' : 'text'
}

/** A stored value as text. */
export const valueText = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'boolean' ? (value ? 'yes' : 'no') : JSON.stringify(value)
