import type { Composition } from '../domain/evidence/compose.ts'
import { type TextsPreview, textLines } from './preview-texts.ts'
import { asText, wrapped } from './print.ts'

/** What `playbook preview` shows of a composition: names and times of facts, never their values. */
export interface Preview
  extends TextsPreview,
    Pick<Composition, 'play' | 'manualOnly' | 'completeness' | 'requiredMissing' | 'missing'> {
  version: number
  warnings: { code: string; message: string }[]
  statements: { id: string; kept: boolean; text?: string; why?: string; exhibits: string[] }[]
  facts: { fact: string; source: string; name: string; at: string | null }[]
}

const WIDTH = 110

/** The preview as a page for the terminal, the most useful first. */
export function previewText(result: object): string {
  const { play, version, manualOnly, completeness, requiredMissing, missing, warnings, statements, facts } =
    result as Preview
  const kept = statements.filter((one) => one.kept)
  return [
    `Playbook ${play}, version ${version}: ${Math.round(completeness * 100)} % of its data is known.`,
    ...(manualOnly ? ['A person has to decide: nothing is submitted automatically.'] : []),
    ...section('Required, and missing', requiredMissing),
    ...section('Also useful, and missing', missing),
    ...section(
      'Warnings',
      warnings.map(({ message }) => message),
    ),
    ...section(
      `Sentences that can be said, ${kept.length} of ${statements.length}`,
      kept.map(({ id, text, exhibits }) => [`${id}:`, text, filesOf(exhibits)].filter(Boolean).join(' ')),
    ),
    ...section(
      'Sentences that are left out',
      statements.flatMap(({ id, kept, why }) => (kept ? [] : `${id}: ${why}`)),
    ),
    ...section(...textLines(result as TextsPreview)),
    '',
    'Facts',
    asText(facts).replace(/^/gm, '  '),
  ].join('\n')
}

const filesOf = (kinds: readonly string[]) => (kinds.length > 0 ? `(shown by ${kinds.join(', ')})` : '')

function section(title: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return []
  return ['', title, ...lines.flatMap((line) => wrapped(`  ${line}`, WIDTH, '      '))]
}
