import { constants, createInflate } from 'node:zlib'

/** Where the streams of a PDF are and what is in them, in time that grows with its length, whatever it holds. */

export interface Stream {
  dictionary: string
  from: number
  to: number
}

/** The file's text without the bodies of its streams, and where those are, `most + 1` of them at the utmost. */
export function cut(text: string, most: number): { outside: string; streams: Stream[] } {
  const streams: Stream[] = []
  let outside = ''
  let at = 0
  for (let word = text.indexOf('stream'); word >= 0; word = text.indexOf('stream', word + 6)) {
    const from = behindLineEnd(text, word + 6)
    if (from === null || !followsDictionary(text, at, word)) continue
    const found = text.indexOf('endstream', from)
    const to = found < 0 ? text.length : found
    const before = text.slice(at, from)
    streams.push({ dictionary: before.slice(before.lastIndexOf('obj') + 1), from, to })
    outside += before
    at = to
    word = to
    if (streams.length > most) break
  }
  return { outside: outside + text.slice(at), streams }
}

function behindLineEnd(text: string, at: number): number | null {
  if (text[at] === '\r') return text[at + 1] === '\n' ? at + 2 : at + 1
  return text[at] === '\n' ? at + 1 : null
}

const isSpace = (code: number) => code === 32 || (code >= 9 && code <= 13) || code === 0 || code === 0xa0
const isLineEnd = (code: number) => code === 10 || code === 13

/** End of what stands before the white space before `at`. */
function beforeSpace(text: string, floor: number, at: number): number {
  let end = at
  while (end > floor && isSpace(text.charCodeAt(end - 1))) end--
  return end
}

/**
 * Whether only white space and comments stand between a dictionary's end and `word`. Read backwards, line by line: a
 * line is passed at most once by all words together, because it ends the way back as soon as it is no comment.
 */
function followsDictionary(text: string, floor: number, word: number): boolean {
  for (let at = word; ; ) {
    const end = beforeSpace(text, floor, at)
    if (end >= floor + 2 && text.startsWith('>>', end - 2)) return true
    let start = end
    while (start > floor && !isLineEnd(text.charCodeAt(start - 1))) start--
    // A comment reaches to the end of its line: what stands in the word's own line is none.
    if (!/[\r\n]/.test(text.slice(end, at)) && at === word) return false
    const line = text.slice(start, end)
    let comment = false
    for (let sign = line.indexOf('%'); sign >= 0; sign = line.indexOf('%', sign + 1)) {
      const before = beforeSpace(line, 0, sign)
      if (before >= 2 && line.startsWith('>>', before - 2)) return true
      if (before === 0) comment = true
    }
    if (!comment) return false
    at = start
  }
}

/** Names of the filters over a stream; null where they stand elsewhere in the file. */
function filtersOf(dictionary: string): string[] | null {
  const at = dictionary.search(/\/Filter(?!\w)/)
  if (at < 0) return []
  const value = /^\s*(\[[^\][]*\]|\/\w+|null(?!\w))/.exec(dictionary.slice(at + 7))?.[1]
  if (value === undefined || /\d\s+R/.test(value)) return null
  return value.match(/\/\w+/g) ?? []
}

/**
 * What the stream holds, as Latin-1; null where it is under a filter other than none or Flate. Of one that breaks off
 * or is damaged what comes before, as readers show it; `whole` is false for the latter.
 */
export async function unfolded(
  dictionary: string,
  bytes: Buffer,
  budget: number,
): Promise<{ body: string; whole: boolean } | null | 'too large'> {
  const filters = filtersOf(dictionary)
  if (filters === null) return null
  if (filters.length === 0) return bytes.length > budget ? 'too large' : { body: bytes.toString('latin1'), whole: true }
  if (filters.length !== 1 || !['/FlateDecode', '/Fl'].includes(filters[0] as string)) return null
  const chunks: Buffer[] = []
  let left = budget
  let whole = true
  try {
    for await (const chunk of createInflate({ finishFlush: constants.Z_SYNC_FLUSH }).end(bytes)) {
      left -= chunk.length
      if (left < 0) return 'too large'
      chunks.push(chunk)
    }
  } catch {
    whole = false
  }
  return { body: Buffer.concat(chunks).toString('latin1'), whole }
}
