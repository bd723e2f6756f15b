import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { bundleConsole } from '../../../api/console/bundle.ts'

const KB = 1_024
const sizeOf = (content: Uint8Array) => gzipSync(content, { level: 9 }).length

/** The most that people download before they see the queue: decision 71. */
test('the console is small: 35 KB of scripts and 12 KB of styles, compressed, for all screens together', async () => {
  const { files, manifest } = await bundleConsole()
  const scripts = [...files]
    .filter(([name]) => name.endsWith('.js'))
    .reduce((sum, [, content]) => sum + sizeOf(content), 0)
  expect(scripts).toBeLessThan(35 * KB)
  expect(sizeOf(files.get(manifest.style) as Uint8Array)).toBeLessThan(12 * KB)
  expect(Object.keys(manifest.screens).sort()).toEqual(['chargeback', 'queue', 'sign-in'])
})
