import { adapterFor } from '../../adapters/registry.ts'
import type { EvidenceSources } from '../../db/evidence/evidence-facts.ts'
import type { Composition } from '../../domain/evidence/compose.ts'
import { fillTexts } from '../../domain/evidence/texts/fill-texts.ts'

/** The text fields of the chargeback's PSP, within its general limits: a dispute may have fewer fields. */
export interface TextsPreview {
  psp: string
  texts: { field: string; characters: number; text?: string }[]
  textsLeftOut: { field: string; why: string }[]
}

/** @param shown whether texts are printed: they hold personal data of the customer */
export function previewTexts({ psp, client }: EvidenceSources, composition: Composition, shown: boolean): TextsPreview {
  const definition = adapterFor(psp.source, psp.secretType)
  const { evidence: limits, textTable: table = { fields: {} } } = definition ?? {}
  const { texts, leftOut } = limits ? fillTexts({ composition, client, table, limits }) : { texts: {}, leftOut: [] }
  return {
    psp: definition?.displayName ?? psp.source,
    texts: Object.entries(texts).map(([field, text]) => ({
      ...{ field, characters: text.length, ...(shown && { text }) },
    })),
    textsLeftOut: leftOut,
  }
}

/** Title and lines of the preview's section. */
export function textLines({ psp, texts, textsLeftOut }: TextsPreview): [string, string[]] {
  const filled = texts.map(({ field, characters, text }) =>
    text === undefined ? `${field}: ${characters} characters` : `${field}: ${text.replaceAll('\n', ' / ')}`,
  )
  const left = textsLeftOut.map(({ field, why }) => `${field}, left out: ${why}`)
  return [`Text fields of ${psp}`, [...filled, ...left]]
}
