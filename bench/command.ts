import { parseArgs } from 'node:util'

/** An invalid command line; the message names the valid options. */
export class UsageError extends Error {}

/** Named options with a value each. @throws UsageError that names the unknown one */
export function readOptions<Name extends string>(words: string[], names: readonly Name[]): { [N in Name]?: string } {
  const options = Object.fromEntries(names.map((name) => [name, { type: 'string' as const }]))
  try {
    return parseArgs({ args: words, options, strict: true }).values as { [N in Name]?: string }
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

/** A whole number from 1 to `most`. @throws UsageError */
export function numberOption(name: string, value: string | undefined, standard: number, most: number): number {
  if (value === undefined) return standard
  const number = Number(value)
  if (!/^\d+$/.test(value) || number < 1 || number > most)
    throw new UsageError(`--${name}: "${value}" is not a whole number from 1 to ${most}`)
  return number
}
