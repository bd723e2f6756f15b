import type { EvidenceSources } from '../../db/evidence/evidence-facts.ts'
import type { ComposedStatement, Composition } from '../../domain/evidence/compose.ts'
import { chooseExhibits, lettersOf } from '../../domain/evidence/exhibits.ts'
import { tablesOf } from '../../domain/evidence/structures/tables.ts'

type PreviewStatement = Omit<ComposedStatement, 'weight'> & { letters: string[] }

interface PreviewFile {
  fileId: string
  kind: string
  /** What the file is about. */
  of: string
  uploadedAt: string
  caption?: string
}

/** Sentences with the letters of the files that show them. Captions, texts and tables are there only if wanted. */
export interface PreviewFiles {
  statements: PreviewStatement[]
  exhibits: (PreviewFile & { letter: string })[]
  filesLeft: (PreviewFile & { why: string })[]
  tables: { title: string; rows: string[] }[]
}

export function shownBy(
  { play, statements, facts }: Pick<Composition, 'play' | 'statements' | 'facts'>,
  files: EvidenceSources['files'],
  sentences: boolean,
): PreviewFiles {
  const { exhibits, left } = chooseExhibits(files, { play, statements })
  const file = ({ fileId, kind, of, createdAt, caption }: EvidenceSources['files'][number]): PreviewFile => ({
    ...{ fileId, kind, of, uploadedAt: createdAt.toISOString() },
    ...(sentences && caption !== null && { caption }),
  })
  return {
    statements: statements.map(({ text, weight: _, ...one }) => ({
      ...one,
      ...(sentences && text !== undefined && { text }),
      letters: lettersOf(one, exhibits),
    })),
    exhibits: exhibits.map(({ letter, ...one }) => ({ letter, ...file(one) })),
    filesLeft: left.map(({ why, ...one }) => ({ ...file(one), why })),
    tables: sentences ? tablesOf(facts) : [],
  }
}

/** After a sentence: the letters of its files, or the kinds that were assumed. */
export function shownText({ letters, exhibits }: PreviewStatement): string {
  if (letters.length > 0) return `(Exhibit ${letters.join(', ')})`
  return exhibits.length > 0 ? `(shown by ${exhibits.join(', ')})` : ''
}

export const fileLines = ({ exhibits, filesLeft }: PreviewFiles): string[] => [
  ...exhibits.map(({ letter, ...file }) => `${letter}: ${described(file)}`),
  ...filesLeft.map(({ why, ...file }) => `left out, ${why}: ${described(file)}`),
]

const described = ({ fileId, kind, of, uploadedAt, caption }: PreviewFile) =>
  [`${kind} of the ${of}, uploaded ${uploadedAt.slice(0, 10)}`, fileId, caption].filter(Boolean).join(', ')
