import type { EvidenceLayout, Jobs, RenderedEvidence } from '../jobs.ts'
import { loadTypst } from './typst.ts'
import { replaceUncovered } from './uncovered.ts'

/** See `Jobs`. */
export async function renderEvidence({
  content,
  exhibits,
}: Jobs['renderEvidence']['input']): Promise<RenderedEvidence> {
  const { isCovered, compile } = await loadTypst()
  const layout = JSON.parse(new TextDecoder().decode(content)) as EvidenceLayout
  const { value, uncovered } = replaceUncovered(layout.document, isCovered)
  const files = layout.exhibits.map(({ file }, index) => ({ name: file, content: exhibits[index] ?? new Uint8Array() }))
  const pdf = compile(JSON.stringify({ ...layout, document: value } satisfies EvidenceLayout), files)
  return { pdf, pages: pagesOf(pdf), uncovered }
}

/** The root of the page tree counts all pages; Typst writes it as plain text. */
function pagesOf(pdf: Uint8Array): number {
  const text = Buffer.from(pdf.buffer, pdf.byteOffset, pdf.byteLength).toString('latin1')
  const counts = [...text.matchAll(/\/Type\s*\/Pages\b[^>]*?\/Count (\d+)/g)].map(([, count]) => Number(count))
  return Math.max(...counts)
}
