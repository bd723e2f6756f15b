/** Names of operators: people and pipelines that use the command line. A name is a claim, stored in the audit trail. */

/** Longest name, in characters. */
const LONGEST = 100

const NAME = /^[\p{L}\p{N}][\p{L}\p{N} ._@+\\-]*$/u

/** An error about the name, as a sentence; null when it is valid. */
export function faultOfOperator(name: string): string | null {
  if (name.length <= LONGEST && NAME.test(name) && !name.endsWith(' ')) return null
  return `a name has at most ${LONGEST} letters, digits, spaces and . _ @ + - \\, and begins with a letter or a digit`
}

/** Whether two names denote the same person, ignoring case, width and spaces. */
export const sameOperator = (one: string, other: string): boolean => spelling(one) === spelling(other)

const spelling = (name: string) => name.normalize('NFKC').toLowerCase().replaceAll(/\s+/g, '')

/** Groups of actions that may require a second person. */
export const SECOND_PERSON_FOR = ['jobs', 'keys'] as const
export type SecondPersonFor = (typeof SECOND_PERSON_FOR)[number]
