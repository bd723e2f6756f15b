// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not act
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** Text with its control characters as visible symbols: they could reorder what a person reads. */
export function visible(text: string): string {
  return text.replace(CONTROLS, (found) => {
    const code = found.charCodeAt(0)
    if (code < 0x20) return String.fromCharCode(0x2400 + code)
    return code === 0x7f ? '\u2421' : `⟨U+${code.toString(16).toUpperCase()}⟩`
  })
}
