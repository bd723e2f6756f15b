import type { Typst } from './typst.ts'

/** Unicode scripts, the ones that customers use most first. */
const SCRIPTS = (
  'Han Hiragana Katakana Hangul Bopomofo Arabic Hebrew Thai Devanagari Bengali Tamil Telugu Gujarati Gurmukhi Kannada ' +
  'Malayalam Oriya Sinhala Lao Khmer Myanmar Tibetan Georgian Armenian Ethiopic Mongolian Syriac Thaana Cherokee ' +
  'Latin Greek Cyrillic'
).split(' ')
const PATTERNS = SCRIPTS.map((name) => [name, new RegExp(`^\\p{Script=${name}}$`, 'u')] as const)
/** Characters that are never drawn, such as isolates, joiners and places to break. */
const INVISIBLE = /^[\p{Default_Ignorable_Code_Point}\n\t]$/u

export interface Printed<Value> {
  value: Value
  /** Names of scripts, sorted. */
  uncovered: string[]
}

/** A JSON value whose texts have `[?]` for each run of characters that no font can print. */
export function replaceUncovered<Value>(value: Value, isCovered: Typst['isCovered']): Printed<Value> {
  const uncovered = new Set<string>()
  const isPrinted = (character: string) => isCovered(character.codePointAt(0) ?? 0) || INVISIBLE.test(character)
  const replaced = (text: string): string => {
    let result = ''
    let isRun = false
    for (const character of text) {
      const isMissing = !isPrinted(character)
      if (isMissing) uncovered.add(scriptOf(character))
      if (!isMissing) result += character
      else if (!isRun) result += '[?]'
      isRun = isMissing
    }
    return result
  }
  const walk = (one: unknown): unknown => {
    if (typeof one === 'string') return replaced(one)
    if (Array.isArray(one)) return one.map(walk)
    if (typeof one !== 'object' || one === null) return one
    return Object.fromEntries(Object.entries(one).map(([name, inner]) => [name, walk(inner)]))
  }
  return { value: walk(value) as Value, uncovered: [...uncovered].sort() }
}

/** `symbols` for characters of no script or one that the list lacks. */
const scriptOf = (character: string) => PATTERNS.find(([, pattern]) => pattern.test(character))?.[0] ?? 'symbols'
