/** Characters looked through at once: `addressesIn` holds some copies of what it is given. */
const PART = 1_000_000
/** Longer than any address. */
const EDGE = 1_000

/** The text in parts that end at white space, unless there is none near. */
export function* textParts(text: string): Generator<string> {
  for (let at = 0; at < text.length; ) {
    const near = text.slice(at + PART - EDGE, at + PART)
    const space = text.length - at > PART ? near.search(/\s\S*$/) : -1
    const end = at + (space < 0 ? PART : PART - EDGE + space)
    yield text.slice(at, end)
    at = end
  }
}
