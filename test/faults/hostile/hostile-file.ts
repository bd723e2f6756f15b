import type { FilePurpose } from '../../../domain/evidence/file.ts'
import type { Random } from './random.ts'

/** A file that was made to harm who reads it, or that is broken. */
export interface HostileFile {
  name: string
  purpose: FilePurpose
  /** `refused`: acts by itself, hides something, or is of two kinds. `either`: survived is all that is asked. */
  expected: 'refused' | 'either'
  content: Buffer
}

/** Recipes by name; each is run when its file is wanted, because a hundred bombs at once are large. */
export interface Recipe {
  name: string
  purpose: FilePurpose
  expected: HostileFile['expected']
  make(random: Random): Buffer
}

const recipes =
  (purpose: FilePurpose, expected: Recipe['expected']) =>
  (kind: string, makers: Record<string, (random: Random) => Buffer>): Recipe[] =>
    Object.entries(makers).map(([name, make]) => ({ name: `${kind}: ${name}`, purpose, expected, make }))

export const pdfs = recipes('evidence_file', 'either')
export const refusedPdfs = recipes('evidence_file', 'refused')
export const pictures = recipes('evidence_image', 'either')
export const refusedPictures = recipes('evidence_image', 'refused')

export const latin1 = (text: string) => Buffer.from(text, 'latin1')

/** Some bytes changed: what a bad disk or a fuzzer makes of a file. */
export function flipped(content: Buffer, random: Random, times: number): Buffer {
  const changed = Buffer.from(content)
  for (let n = 0; n < times; n++) {
    const at = random.below(changed.length)
    changed[at] = (changed[at] ?? 0) ^ (1 << random.below(8))
  }
  return changed
}
