import type { AdapterDefinition } from '../../../../../adapters/contract.ts'
import { adapters } from '../../../../../adapters/registry.ts'
import { composeEvidence, type EvidenceInput } from '../../../../../domain/evidence/compose.ts'
import { type FilledTexts, fillTexts } from '../../../../../domain/evidence/texts/fill-texts.ts'
import { CHARGEBACK, client, input } from '../evidence-input.ts'

export const definitionOf = (source: string): AdapterDefinition => {
  const found = adapters().find((one) => one.source === source)
  if (!found) throw new Error(`There is no adapter ${source}.`)
  return found
}

/** A PSP's texts from a client's data points. */
export function filled(
  source: string,
  points: Record<string, unknown>,
  change: Partial<EvidenceInput> = {},
): FilledTexts {
  const { evidence: limits, textTable: table = { fields: {} } } = definitionOf(source)
  if (!limits) throw new Error(`${source} accepts no evidence.`)
  const own = input({ sources: [client(points), CHARGEBACK], ...change })
  const given = own.sources.filter(({ source: from }) => from === 'client' || from === 'record')
  return fillTexts({ composition: composeEvidence(own), client: given, table, limits })
}
