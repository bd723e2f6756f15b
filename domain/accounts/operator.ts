/** Names of operators: people and pipelines that act by the command line. A name is a claim, kept for the audit trail. */

/** Longest name, in characters. */
const LONGEST = 100

const NAME = /^[\p{L}\p{N}][\p{L}\p{N} ._@+\\-]*$/u

/** A sentence about what is wrong with the name; null when it is good. */
export function faultOfOperator(name: string): string | null {
  if (name.length <= LONGEST && NAME.test(name) && !name.endsWith(' ')) return null
  return `a name has at most ${LONGEST} letters, digits, spaces and . _ @ + - \\, and begins with a letter or a digit`
}

/** Whether two names are one person's, however they are spelt: case, width and spaces count for nothing. */
export const sameOperator = (one: string, other: string): boolean => spelling(one) === spelling(other)

const spelling = (name: string) => name.normalize('NFKC').toLowerCase().replaceAll(/\s+/g, '')

/** What may need a second person. */
export const SECOND_PERSON_FOR = ['jobs', 'keys'] as const
export type SecondPersonFor = (typeof SECOND_PERSON_FOR)[number]
