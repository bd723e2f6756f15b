import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { type Bundle, bundleConsole } from '../../../api/console/bundle.ts'

const KB = 1_024

/** Compressed size of files with all that they import at once. */
function sizeOf({ files }: Bundle, names: readonly string[]): number {
  const reached = new Set(names)
  for (const name of reached)
    for (const [, found = ''] of textOf(files.get(name)).matchAll(/(?:from|import)"\.\/([^"]+)"/g)) reached.add(found)
  return [...reached].reduce((sum, name) => sum + gzipSync(files.get(name) ?? '', { level: 9 }).length, 0)
}
const textOf = (content: Uint8Array | undefined) => new TextDecoder().decode(content)

/** What people download before they see the queue: decision 71. */
test('the console is small: 35 KB of scripts before the queue, 20 KB more for a screen, 12 KB of styles, compressed', async () => {
  const bundle = await bundleConsole()
  const { script, style, screens } = bundle.manifest
  const first = [script, screens.queue ?? '']
  expect(sizeOf(bundle, first)).toBeLessThan(35 * KB)
  for (const [name, chunk] of Object.entries(screens))
    expect(sizeOf(bundle, [...first, chunk]) - sizeOf(bundle, first), name).toBeLessThan(20 * KB)
  expect(sizeOf(bundle, [style])).toBeLessThan(12 * KB)
})
