import { readFileSync } from 'node:fs'

export interface Font {
  family: string
  file: string
}

/** What Typst reads from a font. `coverage`: lengths of runs of code points, by turns without and with a glyph. */
export interface FontInfo {
  info: { coverage: number[] }[]
}

export const ownFile = (path: string) => readFileSync(new URL(path, import.meta.url))

/** In the order in which they are tried for a character. */
export const readFonts = (): Font[] => JSON.parse(ownFile('fonts/fonts.json').toString())

export const readFont = ({ file }: Font) => ownFile(`fonts/${file}`)

/**
 * Kept in a file, because reading them from 20 MB of fonts takes half of the start and 35 MB. Made by `npm run generate`,
 * in the order of the fonts.
 */
export const storedFontInfos = (): FontInfo[] => JSON.parse(ownFile('fonts/infos.json').toString())

/** Characters of all fonts. */
export function coverageOf(infos: readonly FontInfo[]): (codePoint: number) => boolean {
  const covered = new Uint8Array(0x110000)
  for (const { coverage } of infos.flatMap(({ info }) => info)) {
    let at = 0
    for (const [index, length] of coverage.entries()) {
      if (index % 2 === 1) covered.fill(1, at, at + length)
      at += length
    }
  }
  return (codePoint) => covered[codePoint] === 1
}
