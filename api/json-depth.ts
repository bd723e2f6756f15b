/** Deepest nesting of brackets outside strings; the text need not be valid. */
export function depthOf(json: string): number {
  let depth = 0
  let deepest = 0
  let quoted = false
  for (let i = 0; i < json.length; i++) {
    const character = json[i]
    if (quoted && character === '\\') i++
    else if (character === '"') quoted = !quoted
    else if (quoted) continue
    else if (character === '{' || character === '[') deepest = Math.max(deepest, ++depth)
    else if (character === '}' || character === ']') depth--
  }
  return deepest
}
