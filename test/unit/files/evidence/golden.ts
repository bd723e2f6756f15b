import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { expect } from 'vitest'
import { buildPackage } from './build-package.ts'
import type { PackageCase } from './package-cases.ts'
import { PACKAGES } from './packages.ts'
import { placedTexts } from './pdf-text.ts'

const folder = new URL('golden/', import.meta.url)
/** libvips rounds differently on other processors, so that pictures have other bytes there. */
const SAME_BYTES = process.arch === 'x64'

/**
 * The package of a case is the one that was looked at: its text by page, and the SHA-256 of its bytes. The PDFs are not
 * kept, because 30 of them have 2.5 MB and a difference of bytes says nothing that a person could read.
 */
export async function expectGolden(name: string): Promise<void> {
  const path = new URL(`${name.replace(/^(.*)-(full|thin)$/, '$2/$1')}.txt`, folder)
  const text = await packageText(PACKAGES[name] as PackageCase)
  const stored = existsSync(path) ? readFileSync(path, 'utf8') : ''
  const hash = /^SHA-256: .*$/m
  const comparable = SAME_BYTES ? text : text.replace(hash, hash.exec(stored)?.[0] ?? '')
  await expect(comparable).toMatchFileSnapshot(path.pathname)
}

async function packageText(one: PackageCase): Promise<string> {
  const made = await buildPackage(one)
  const left = made.dropped.map(({ fileId, why }) => `left out: ${one.files[Number(fileId)]?.name}: ${why}`)
  if ('refused' in made) return `${[`refused: ${made.refused}`, ...left].join('\n')}\n`
  const { requiredMissing, completeness } = made.written.composed
  const pages = await placedTexts(made.pdf)
  return `${[
    `SHA-256: ${createHash('sha256').update(made.pdf).digest('hex')}`,
    `${made.pages} pages, complete to ${completeness.toFixed(2)}`,
    ...requiredMissing.map((ask) => `required: ${ask}`),
    ...made.exhibits.map(({ letter, pages }) => `Exhibit ${letter}: ${pages} page${pages === 1 ? '' : 's'}`),
    ...left,
    ...made.warnings.map((warning) => `warning: ${warning}`),
    ...made.written.composed.warnings.map(({ message }) => `warning: ${message}`),
    ...pages.flatMap((texts, index) => ['', `--- page ${index + 1}`, ...linesOf(texts)]),
  ].join('\n')}\n`
}

/** Texts of the same height are one line. */
function linesOf(texts: readonly { text: string; y: number }[]): string[] {
  const lines: { y: number; text: string }[] = []
  for (const { text, y } of texts) {
    const last = lines.at(-1)
    if (last && Math.abs(last.y - y) < 2) last.text += text
    else lines.push({ y, text })
  }
  return lines.map(({ text }) => text.replaceAll(/\s+/g, ' ').trim()).filter((text) => text !== '')
}
