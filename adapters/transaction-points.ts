import type { PointSource } from '../domain/evidence/fact-catalogue.ts'
import type { AdapterDefinition } from './contract.ts'

/**
 * Data points of the PSP's transaction, for evidence; none when it was not read, or this version of the adapter can't
 * read it.
 * @param context as the PSP sent it, and when, ISO 8601
 */
export function transactionPoints(
  definition: AdapterDefinition | undefined,
  context: { text: string; at: string } | null,
): PointSource[] {
  if (!context) return []
  try {
    const facts = definition?.toTransaction?.({ reference: null, text: context.text })
    return facts ? [{ source: 'psp', points: facts.dataPoints, at: context.at }] : []
  } catch {
    return []
  }
}
