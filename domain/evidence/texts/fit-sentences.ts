import type { ComposedStatement } from '../compose.ts'
import { oneLine } from './prose.ts'

/**
 * The sentences as one text. When there is not room for all, the heavier ones stay, and of equal ones the earlier:
 * a sentence is left out whole.
 */
export function fitSentences(
  statements: readonly ComposedStatement[],
  limit: number,
): { text: string; without: string[] } {
  const sentences = statements.flatMap(({ id, weight, text }) =>
    text === undefined ? [] : [{ id, weight, text: oneLine(text) }],
  )
  const taken = new Set<string>()
  let room = limit
  // The sort is stable.
  for (const { id, text } of [...sentences].sort((a, b) => b.weight - a.weight)) {
    const characters = text.length + (taken.size > 0 ? 1 : 0)
    if (characters > room) continue
    taken.add(id)
    room -= characters
  }
  const [kept, left] = [sentences.filter(({ id }) => taken.has(id)), sentences.filter(({ id }) => !taken.has(id))]
  return { text: kept.map(({ text }) => text).join(' '), without: left.map(({ id }) => id) }
}
