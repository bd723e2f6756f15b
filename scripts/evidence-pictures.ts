import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import sharp from 'sharp'
import { projectFolder } from '../local/run-script.ts'
import { buildPackage } from '../test/unit/files/evidence/build-package.ts'
import { PACKAGES } from '../test/unit/files/evidence/packages.ts'

/**
 * `npm run evidence-pictures [-- case …]`: the golden packages as PDFs, and their pages as a fax shows them (200 dpi, grey), in
 * .recoup/evidence/. Look at them before a golden file is changed. `--readme` writes docs/evidence-package.png. Needs
 * pdftoppm of poppler.
 */
const { values, positionals } = parseArgs({ options: { readme: { type: 'boolean' } }, allowPositionals: true })
const FOLDER = join(projectFolder, '.recoup', 'evidence')
const PICTURE = join(projectFolder, 'docs', 'evidence-package.png')
/** Maximum bytes, because README.md shows it. */
const MOST = 300_000

rmSync(FOLDER, { recursive: true, force: true })
mkdirSync(FOLDER, { recursive: true })
if (values.readme) await readmePicture('not_received-full')
else
  for (const name of positionals.length > 0 ? positionals : Object.keys(PACKAGES))
    console.log(`${name}: ${(await pictures(name, 200)).length} pages`)

/** @returns files of the pages; none if there is nothing to say */
async function pictures(name: string, dpi: number): Promise<string[]> {
  const one = PACKAGES[name]
  if (!one) throw new Error(`There is no case ${name}. Cases: ${Object.keys(PACKAGES).join(', ')}`)
  const made = await buildPackage(one)
  if ('refused' in made) return []
  const file = join(FOLDER, `${name}.pdf`)
  writeFileSync(file, made.pdf)
  const { status } = spawnSync('pdftoppm', ['-r', String(dpi), '-gray', '-png', file, join(FOLDER, name)])
  if (status !== 0) throw new Error('pdftoppm failed or is not installed: install poppler-utils')
  const pages = readdirSync(FOLDER).filter((page) => page.startsWith(`${name}-`) && page.endsWith('.png'))
  return pages.sort().map((page) => join(FOLDER, page))
}

/** The first page next to its first exhibit. */
async function readmePicture(name: string): Promise<void> {
  const [first, second] = await pictures(name, 75)
  if (!first || !second) throw new Error(`${name} has no exhibit`)
  const { width, height } = await sharp(first).metadata()
  const gap = 16
  await sharp({ create: { width: 2 * width + 3 * gap, height: height + 2 * gap, channels: 3, background: '#999' } })
    .composite([
      { input: first, left: gap, top: gap },
      { input: second, left: width + 2 * gap, top: gap },
    ])
    .toColourspace('b-w')
    .png({ palette: true, colours: 16 })
    .toFile(PICTURE)
  const { size } = statSync(PICTURE)
  if (size > MOST) throw new Error(`${PICTURE} has ${size} bytes, ${MOST} is the ceiling`)
  console.log(`docs/evidence-package.png written, ${size} bytes`)
}
