import { emptyZip, samplePdf, stream } from '../../harness/sample-files.ts'
import { type HostileFile, latin1, pdfs, type Recipe, refusedPdfs } from './hostile-file.ts'
import { jpegs } from './jpeg.ts'
import { nestedArrays } from './nested-arrays.ts'
import { activePdfs } from './pdf-active.ts'
import { pdfBombs } from './pdf-bombs.ts'
import { pdfContents } from './pdf-contents.ts'
import { malformedPdfs } from './pdf-malformed.ts'
import { pdfStructures } from './pdf-structures.ts'
import { pngs } from './png.ts'
import { createRandom } from './random.ts'

const polyglots: Recipe[] = [
  ...refusedPdfs('of two kinds', {
    'a page in its first kilobyte': () => samplePdf({ catalog: '/X (<html><script>alert(1)</script>)' }),
    'an archive after it': () => Buffer.concat([samplePdf(), emptyZip()]),
    'an archive in it': () => samplePdf({ objects: [stream(emptyZip())] }),
    'a page before it': () => Buffer.concat([latin1('<html>\n'), samplePdf()]),
    'a program before it': () => Buffer.concat([latin1('MZ\x90\0'), samplePdf()]),
  }),
  ...pdfs('of the reports', { 'nested arrays in 60 KB': nestedArrays }),
]

const RECIPES: readonly Recipe[] = [
  ...polyglots,
  ...pdfBombs,
  ...pdfStructures,
  ...pdfContents,
  ...activePdfs,
  ...malformedPdfs,
  ...pngs,
  ...jpegs,
]

/** Seed of the corpus. Each file's seed is derived from it and the file's index. */
const SEED = 16

/** Every `nth` hostile file, made on demand; the same bytes each time. */
export function* hostileFiles({ nth = 1, seed = SEED }: { nth?: number; seed?: number } = {}): Generator<HostileFile> {
  for (let at = 0; at < RECIPES.length; at += nth) {
    const { make, ...named } = RECIPES[at] as Recipe
    yield { ...named, content: make(createRandom(seed * 100_003 + at)) }
  }
}

export const HOSTILE_FILES = RECIPES.length
