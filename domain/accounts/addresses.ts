/**
 * E-mail addresses in any text: JSON, URLs, prose. The same function defines an address when a record is stored and
 * when a person is searched, so that both agree even where they differ from RFC 5321.
 */

/** Delimiters of JSON, URLs and prose: text between two of them with an @ counts as an address. */
const DELIMITER = /[\s\p{Cc}"'<>()[\]{},;:\\|=&?/@]/u
const DELIMITERS = new Set(Array.from({ length: 0x80 }, (_, code) => code).filter(isListed))
/** Longest parts considered, in characters; RFC 5321 allows 64 and 255. */
const LOCAL = 128
const DOMAIN = 255
const ESCAPED = /\\u([0-9a-f]{4})/gi
const EDGES = /^[.\-_*!]+|[.\-_*!]+$/g

/** Distinct addresses in the text, as `normal` writes them, at most `limit`. Linear in the text's length. */
export function addressesIn(text: string, limit = Number.POSITIVE_INFINITY): string[] {
  const found = new Set<string>()
  const plain = normal(text)
  for (let at = plain.indexOf('@'); at >= 0 && found.size < limit; at = plain.indexOf('@', at + 1)) {
    let [from, to] = [at, at + 1]
    while (from > 0 && at - from < LOCAL && !delimits(plain.charCodeAt(from - 1))) from--
    if (from === at) continue
    while (to < plain.length && to - at <= DOMAIN && !delimits(plain.charCodeAt(to)) && plain[to] !== '%') to++
    if (to > at + 1) found.add(plain.slice(from, to).replaceAll(EDGES, ''))
  }
  return [...found]
}

function isListed(code: number): boolean {
  return DELIMITER.test(String.fromCharCode(code))
}

/** Iterative and with a table, because a hostile text may consist of @ only. */
const delimits = (code: number) => (code < 0x80 ? DELIMITERS.has(code) : isListed(code))

/** Lower case, composed characters, and an @ that JSON or a URL has escaped. */
export function normal(text: string): string {
  const plain = text.includes('\\u')
    ? text.replaceAll(ESCAPED, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    : text
  return (plain.includes('%40') ? plain.replaceAll('%40', '@') : plain).normalize('NFC').toLowerCase()
}
