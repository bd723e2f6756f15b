import { readFileSync } from 'node:fs'
import type { TypstCompiler } from '@myriaddreamin/typst-ts-web-compiler'

/**
 * Typst as WebAssembly: it sees one template, one document and the fonts next to this file; no system font, no network and
 * no other file. The same document gives the same bytes in every process, because no date is written.
 */
export interface Typst {
  /** @param json an `EvidenceDocument` */
  compile(json: string): Uint8Array
  /** Whether a font has the character. */
  isCovered(codePoint: number): boolean
}

interface Font {
  family: string
  file: string
}

/** What Typst reads from a font. `coverage`: lengths of runs of code points, by turns without and with a glyph. */
interface FontInfo {
  info: { coverage: number[] }[]
}

const own = (path: string) => readFileSync(new URL(path, import.meta.url))

let loaded: Promise<Typst> | undefined

export const loadTypst = () => (loaded ??= load())

async function load(): Promise<Typst> {
  const { default: init, ...library } = await import('@myriaddreamin/typst-ts-web-compiler')
  const wasm = new URL(import.meta.resolve('@myriaddreamin/typst-ts-web-compiler/wasm'))
  await init({ module_or_path: readFileSync(wasm) })
  const fonts: Font[] = JSON.parse(own('fonts/fonts.json').toString())
  const resolver = new library.TypstFontResolverBuilder()
  const ranges: [number, number][] = []
  for (const { file } of fonts) {
    const read = () => own(`fonts/${file}`)
    const info: FontInfo = resolver.get_font_info(read())
    // Typst reads a font when a document needs it.
    resolver.add_lazy_font(info, read)
    for (const { coverage } of info.info) ranges.push(...coveredRanges(coverage))
  }
  const builder = new library.TypstCompilerBuilder()
  builder.set_dummy_access_model()
  const compiler = await builder.build()
  compiler.set_fonts(await resolver.build())
  compiler.add_source('/main.typ', own('template.typ').toString())
  const families = [...new Set(fonts.map(({ family }) => family))]
  return {
    compile: (json) => compile(compiler, json, families),
    isCovered: (codePoint) => ranges.some(([first, after]) => codePoint >= first && codePoint < after),
  }
}

function* coveredRanges(lengths: readonly number[]): Generator<[first: number, after: number]> {
  let at = 0
  for (const [index, length] of lengths.entries()) {
    if (index % 2 === 1) yield [at, at + length]
    at += length
  }
}

function compile(compiler: TypstCompiler, json: string, families: readonly string[]): Uint8Array {
  compiler.map_shadow('/document.json', Buffer.from(json))
  compiler.map_shadow('/fonts.json', Buffer.from(JSON.stringify(families)))
  try {
    const { result } = compiler.compile('/main.typ', undefined, 'pdf', 2) as { result?: Uint8Array }
    if (!result) throw new Error('the document was not laid out')
    return result
  } finally {
    // A document must not stay in memory for the next one.
    compiler.unmap_shadow('/document.json')
  }
}
