import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { type Bundle, bundleConsole } from '../../../api/console/bundle.ts'
import { shell } from '../../../api/console/shell.ts'

/** Compressed KB of files. */
const kbOf = ({ files }: Bundle, names: readonly string[]) =>
  names.reduce((sum, name) => sum + gzipSync(files.get(name) ?? '', { level: 9 }).length, 0) / 1_024

/** What people download before they see a screen: decision 71. */
test('the console is small: 35 KB of scripts before the queue, 20 KB more for a screen, 12 KB of styles, compressed', async () => {
  const bundle = await bundleConsole()
  const { script, style, screens } = bundle.manifest
  const first = [script, ...(screens.queue ?? [])]
  expect(first.length).toBe(3)
  expect(kbOf(bundle, first)).toBeLessThan(35)
  for (const [name, chunks] of Object.entries(screens))
    expect(kbOf(bundle, [...new Set([...first, ...chunks])]) - kbOf(bundle, first), name).toBeLessThan(20)
  expect(kbOf(bundle, [style])).toBeLessThan(12)
})

test('the page names all code that its screen begins with, so that nothing is found late', async () => {
  const bundle = await bundleConsole()
  for (const screen of Object.keys(bundle.manifest.screens)) {
    const page = shell(bundle, screen)
    const named = [...page.matchAll(/"\/console\/assets\/([^"]*\.js)"/g)].map(([, name = '']) => name)
    const imported = named.flatMap((name) => {
      const text = Buffer.from(bundle.files.get(name) ?? '').toString()
      return [...text.matchAll(/(?:from|import)"\.\/([^"]+\.js)"/g)].map(([, other = '']) => other)
    })
    expect(imported.length, screen).toBeGreaterThan(1)
    expect(
      imported.filter((name) => !named.includes(name)),
      screen,
    ).toEqual([])
  }
})
