import { useRead } from '../api/use-read.ts'
import { useWho } from '../app/who.ts'

interface Known {
  /** Undefined until they are read. */
  counts: ReadonlyMap<string, number> | undefined
  failure: Error | undefined
  again: () => Promise<void>
}

/** Numbers of the merchant's chargebacks, by PSP or by currency. */
export function useKnown(name: 'psp' | 'currency'): Known {
  const { merchant } = useWho()
  const { data, failure, again } = useRead('readSummary', { merchant, query: { by: ['psp', 'currency'] } })
  if (!data) return { counts: undefined, failure, again }
  const counts = new Map<string, number>()
  for (const group of data.data.groups) {
    const word = group[name]
    if (word !== undefined) counts.set(word, (counts.get(word) ?? 0) + group.chargebacks)
  }
  return { counts, failure: undefined, again }
}
