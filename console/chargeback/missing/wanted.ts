/** One thing that would help, as the interface words it: `deliverySignedBy or a file of kind signature, delivery`. */
export interface Wanted {
  text: string
  /** Data points, each of which, or all of which, would do. */
  names: readonly string[]
  /** Kinds of files that would do. */
  kinds: readonly string[]
}

const KINDS = /^a file of kind (.+)$/

export function wantedOf(text: string): Wanted {
  const parts = text.split(' or ')
  const kinds = parts.flatMap((part) => KINDS.exec(part)?.[1]?.split(', ') ?? [])
  const names = parts.filter((part) => !KINDS.test(part)).flatMap((part) => part.split(' and '))
  return { text, names, kinds }
}

/** Whether a person can type it: not what is no data point, such as `two earlier transactions`. */
export const isTyped = (name: string): boolean => /^[A-Za-z]\w*$/.test(name)

/** What a file can show, as its metadata says it. */
export const FILE_KINDS = [
  ...(['receipt', 'delivery', 'signature', 'communication', 'policy', 'terms', 'checkout'] as const),
  ...(['usage', 'refund', 'contract', 'photo', 'other'] as const),
] as const

/** Largest file that the API takes, bytes. */
export const MOST_BYTES = 6_291_456

/** Why a file is not sent; undefined for one that is. The API looks again, at the bytes. */
export function faultOfFile({ type, size }: { type: string; size: number }): string | undefined {
  if (!['application/pdf', 'image/png', 'image/jpeg'].includes(type)) return 'Choose a PDF, PNG or JPEG.'
  if (size > MOST_BYTES) return `It has ${(size / 1_048_576).toFixed(1)} MB: 6 MB is the most.`
  return size === 0 ? 'The file is empty.' : undefined
}
