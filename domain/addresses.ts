/**
 * E-mail addresses in any text: JSON, URLs, prose. One function decides what an address is, when a record is stored and
 * when a person is looked for, so that the two agree even where they differ from RFC 5321.
 */

/** Delimiters of JSON, URLs and prose: what stands between them around an @ is taken for an address. */
const BEFORE = /[^\s\p{Cc}"'<>()[\]{},;:\\|=&?/@]*$/u
const BEHIND = /^[^\s\p{Cc}"'<>()[\]{},;:\\|=&?/@%]*/u
/** Longest parts looked at, in characters; RFC 5321 allows 64 and 255. */
const LOCAL = 128
const DOMAIN = 255
const ESCAPED = /\\u([0-9a-f]{4})/gi
const EDGES = /^[.\-_*!]+|[.\-_*!]+$/g

/** Distinct addresses in the text, as `normal` writes them, at most `limit`. Linear in the text's length. */
export function addressesIn(text: string, limit = Number.POSITIVE_INFINITY): string[] {
  const found = new Set<string>()
  const plain = normal(text)
  for (let at = plain.indexOf('@'); at >= 0 && found.size < limit; at = plain.indexOf('@', at + 1)) {
    const [local = ''] = BEFORE.exec(plain.slice(Math.max(0, at - LOCAL), at)) ?? []
    const [domain = ''] = BEHIND.exec(plain.slice(at + 1, at + 1 + DOMAIN)) ?? []
    if (local && domain) found.add(`${local}@${domain}`.replaceAll(EDGES, ''))
  }
  return [...found]
}

/** Lower case, composed characters, and an @ that JSON or a URL has escaped. */
export function normal(text: string): string {
  const plain = text.includes('\\u')
    ? text.replaceAll(ESCAPED, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    : text
  return (plain.includes('%40') ? plain.replaceAll('%40', '@') : plain).normalize('NFC').toLowerCase()
}
