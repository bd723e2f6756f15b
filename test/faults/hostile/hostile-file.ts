import type { FilePurpose } from '../../../domain/evidence/file.ts'
import type { Random } from './random.ts'

/** A file that is made to harm its reader, or that is broken. */
export interface HostileFile {
  name: string
  purpose: FilePurpose
  /** `refused`: has active or hidden content, or is of two types. `either`: need only be survived. */
  expected: 'refused' | 'either'
  content: Buffer
}

/** A recipe runs only when its file is needed, because a hundred bombs at once are large. */
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

/** Flips some bits, as a faulty disk or a fuzzer does. */
export function flipped(content: Buffer, random: Random, times: number): Buffer {
  const changed = Buffer.from(content)
  for (let n = 0; n < times; n++) {
    const at = random.below(changed.length)
    changed[at] = (changed[at] ?? 0) ^ (1 << random.below(8))
  }
  return changed
}
