const SENTENCES = new Intl.Segmenter('en', { granularity: 'sentence' })
const WORDS = new Intl.Segmenter('en', { granularity: 'word' })
const LEFT_OUT = ' […]'
/** Characters behind the limit that decide whether a sentence ends before it. */
const AHEAD = 100

export const oneLine = (text: string): string => text.replaceAll(/\s+/gu, ' ').trim()

/** White space folded, line breaks kept. */
export const foldedLines = (text: string): string => text.split('\n').map(oneLine).filter(Boolean).join('\n')

/**
 * The whole sentences that fit, then `[…]`. Of a first sentence that does not fit whole words; null when not even one
 * does, because a part of a word says nothing.
 */
export function wholeSentences(text: string, limit: number): string | null {
  if (text.length <= limit) return text
  const room = limit - LEFT_OUT.length
  const end = lastEnd(SENTENCES, text, room) || lastEnd(WORDS, text, room)
  return end === 0 ? null : text.slice(0, end) + LEFT_OUT
}

/** Where the last segment ends that is whole within `room` characters; 0 for none. */
function lastEnd(segmenter: Intl.Segmenter, text: string, room: number): number {
  const start = text.slice(0, Math.max(room, 0) + AHEAD)
  let end = 0
  for (const { segment, index } of segmenter.segment(start)) {
    const shown = index + segment.trimEnd().length
    // The last segment of the slice may go on behind it.
    if (shown > room || (index + segment.length === start.length && start.length < text.length)) break
    if (segment.trim() !== '') end = shown
  }
  return end
}
