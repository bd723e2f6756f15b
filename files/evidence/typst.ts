import { readFileSync } from 'node:fs'
import type { TypstCompiler } from '@myriaddreamin/typst-ts-web-compiler'
import { coverageOf, ownFile, readFont, readFonts, storedFontInfos } from './fonts.ts'

/**
 * Typst as WebAssembly: it sees one template, one document with its exhibits, and the fonts next to this file; no system
 * font, no network and no other file. The same document gives the same bytes in every process, because no date is written.
 */
export interface Typst {
  /** @param json an `EvidenceLayout` @param files that it names */
  compile(json: string, files: readonly TypstFile[]): Uint8Array
  /** Sets the pages of a PDF alone. @throws Error when it can't */
  compileTrial(file: TypstFile, pages: number): void
  /** Whether a font has the character. */
  isCovered(codePoint: number): boolean
}

export interface TypstFile {
  name: string
  content: Uint8Array
}

const TRIAL = `#let t = json("/trial.json")
#for n in range(1, t.pages + 1) { image("/" + t.file, page: n, width: 100pt) }`

let loaded: Promise<Typst> | undefined

export const loadTypst = () => (loaded ??= load())

export async function loadLibrary() {
  const { default: init, ...library } = await import('@myriaddreamin/typst-ts-web-compiler')
  const wasm = new URL(import.meta.resolve('@myriaddreamin/typst-ts-web-compiler/wasm'))
  await init({ module_or_path: readFileSync(wasm) })
  return library
}

async function load(): Promise<Typst> {
  const library = await loadLibrary()
  const [fonts, infos] = [readFonts(), storedFontInfos()]
  const resolver = new library.TypstFontResolverBuilder()
  // Typst reads a font when a document needs it.
  for (const [index, font] of fonts.entries()) resolver.add_lazy_font(infos[index], () => readFont(font))
  const builder = new library.TypstCompilerBuilder()
  builder.set_dummy_access_model()
  const compiler = await builder.build()
  compiler.set_fonts(await resolver.build())
  compiler.add_source('/main.typ', ownFile('template.typ').toString())
  compiler.add_source('/trial.typ', TRIAL)
  const families = [...new Set(fonts.map(({ family }) => family))]
  compiler.map_shadow('/fonts.json', Buffer.from(JSON.stringify(families)))
  return {
    compile: (json, files) =>
      compile(compiler, '/main.typ', [{ name: 'layout.json', content: Buffer.from(json) }, ...files]),
    compileTrial(file, pages) {
      const trial = Buffer.from(JSON.stringify({ file: file.name, pages }))
      compile(compiler, '/trial.typ', [{ name: 'trial.json', content: trial }, file])
    },
    isCovered: coverageOf(infos),
  }
}

function compile(compiler: TypstCompiler, template: string, files: readonly TypstFile[]): Uint8Array {
  for (const { name, content } of files) compiler.map_shadow(`/${name}`, content)
  try {
    const { result } = compiler.compile(template, undefined, 'pdf', 2) as { result?: Uint8Array }
    if (!result) throw new Error('the document was not laid out')
    return result
  } finally {
    // A document must not stay in memory for the next one.
    for (const { name } of files) compiler.unmap_shadow(`/${name}`)
  }
}
