import type { EvidenceDocument } from '../../domain/evidence/document/evidence-document.ts'
import type { RenderedEvidence } from '../jobs.ts'
import { loadTypst } from './typst.ts'
import { replaceUncovered } from './uncovered.ts'

/** See `Jobs`. @param content JSON of an `EvidenceDocument` */
export async function renderEvidence(content: Uint8Array): Promise<RenderedEvidence> {
  const { isCovered, compile } = await loadTypst()
  const document = JSON.parse(new TextDecoder().decode(content)) as EvidenceDocument
  const { value, uncovered } = replaceUncovered(document, isCovered)
  const pdf = compile(JSON.stringify(value))
  return { pdf, pages: pagesOf(pdf), uncovered }
}

/** The root of the page tree counts all pages; Typst writes it as plain text. */
function pagesOf(pdf: Uint8Array): number {
  const text = Buffer.from(pdf.buffer, pdf.byteOffset, pdf.byteLength).toString('latin1')
  const counts = [...text.matchAll(/\/Type\s*\/Pages\b[^>]*?\/Count (\d+)/g)].map(([, count]) => Number(count))
  return Math.max(...counts)
}
