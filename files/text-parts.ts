/** Characters per part: `addressesIn` needs several copies of its input. */
const PART = 1_000_000
/** Longer than any address. */
const EDGE = 1_000

/** Splits the text at white space, if there is any nearby. */
export function* textParts(text: string): Generator<string> {
  for (let at = 0; at < text.length; ) {
    const near = text.slice(at + PART - EDGE, at + PART)
    const space = text.length - at > PART ? near.search(/\s\S*$/) : -1
    const end = at + (space < 0 ? PART : PART - EDGE + space)
    yield text.slice(at, end)
    at = end
  }
}
