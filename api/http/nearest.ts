/**
 * The closest known name, ignoring case; at most a third of its characters may differ. Undefined when none is close.
 */
export function nearest(name: string, names: readonly string[]): string | undefined {
  const given = name.toLowerCase().slice(0, 100)
  const [best] = names
    .map((one) => ({ one, distance: editDistance(given, one.toLowerCase()) }))
    .filter(({ one, distance }) => distance <= Math.max(1, Math.floor(one.length / 3)))
    .sort((a, b) => a.distance - b.distance)
  return best?.one
}

/** Levenshtein distance: the fewest insertions, deletions and replacements. */
function editDistance(a: string, b: string): number {
  let above = Array.from({ length: b.length + 1 }, (_, n) => n)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++)
      row[j] = Math.min(
        (above[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (above[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1),
      )
    above = row
  }
  return above[b.length] ?? 0
}
