import type { Composition } from '../../domain/evidence/compose.ts'
import { table, wrapped } from '../table.ts'
import { fileLines, type PreviewFiles, shownText } from './preview-files.ts'
import type { WrittenPdf } from './preview-pdf.ts'
import { type TextsPreview, textLines } from './preview-texts.ts'

/** What `playbook preview` shows of a composition: names and times of facts, never their values. */
export interface Preview
  extends Pick<Composition, 'play' | 'overlays' | 'manualOnly' | 'completeness' | 'requiredMissing' | 'missing'>,
    PreviewFiles,
    TextsPreview {
  version: number
  /** Version of the account's own sentences. */
  override: number | null
  warnings: { code: string; message: string }[]
  facts: { fact: string; source: string; name: string; at: string | null }[]
  /** Set when a PDF was written. */
  pdf?: WrittenPdf
}

const WIDTH = 110

/** The preview as a page for the terminal, the most useful first. */
export function previewText(result: object): string {
  const {
    play,
    version,
    override,
    overlays,
    manualOnly,
    completeness,
    requiredMissing,
    missing,
    warnings,
    statements,
    facts,
    pdf,
  } = result as Preview
  const kept = statements.filter((one) => one.kept)
  return [
    `${named({ id: play, version, override })}: ${Math.round(completeness * 100)} % of its data is known.`,
    ...overlays.flatMap((overlay) => (overlay.override === null ? [] : `${named(overlay)}.`)),
    ...(manualOnly ? ['A person has to decide: nothing is submitted automatically.'] : []),
    ...section('Required, and missing', requiredMissing),
    ...section('Also useful, and missing', missing),
    ...section(
      'Warnings',
      warnings.map(({ message }) => message),
    ),
    ...section(
      `Sentences that can be said, ${kept.length} of ${statements.length}`,
      kept.map((one) =>
        [`${one.id}${one.own ? " (the account's)" : ''}:`, one.text, shownText(one)].filter(Boolean).join(' '),
      ),
    ),
    ...section('Files', fileLines(result as Preview)),
    ...(result as Preview).tables.flatMap(({ title, rows }) => section(title, rows)),
    ...section(
      'Sentences that are left out',
      statements.flatMap(({ id, kept, why }) => (kept ? [] : `${id}: ${why}`)),
    ),
    ...section(...textLines(result as TextsPreview)),
    '',
    'Facts',
    table(facts, { wide: true }).replace(/^/gm, '  '),
    ...(pdf
      ? section('PDF', [
          `${pdf.file}: ${pdf.pages} ${pdf.pages === 1 ? 'page' : 'pages'}, ${pdf.bytes} bytes`,
          ...pdf.warnings,
        ])
      : []),
  ].join('\n')
}

const named = ({ id, version, override }: Composition['overlays'][number] | Composition['playbook']) =>
  `Playbook ${id}, version ${version}${override === null ? '' : ` with the account's version ${override}`}`

function section(title: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return []
  return ['', title, ...lines.flatMap((line) => wrapped(`  ${line}`, WIDTH, '      '))]
}
