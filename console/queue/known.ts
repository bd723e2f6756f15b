import { useRead } from '../api/use-read.ts'
import { useWho } from '../app/who.ts'

/** Numbers of the merchant's chargebacks, by PSP or by currency; undefined until they are read. */
export function useKnown(name: 'psp' | 'currency'): ReadonlyMap<string, number> | undefined {
  const { merchant } = useWho()
  const read = useRead('readSummary', { merchant, query: { by: ['psp', 'currency'] } })
  if (!read.data) return undefined
  const counts = new Map<string, number>()
  for (const group of read.data.data.groups) {
    const word = group[name]
    if (word !== undefined) counts.set(word, (counts.get(word) ?? 0) + group.chargebacks)
  }
  return counts
}
