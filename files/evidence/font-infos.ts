import { readFont, readFonts } from './fonts.ts'
import { loadLibrary } from './typst.ts'

/** `fonts/infos.json`: what Typst reads from each font, one line for each. */
export async function fontInfos(): Promise<string> {
  const { TypstFontResolverBuilder } = await loadLibrary()
  const resolver = new TypstFontResolverBuilder()
  const lines = readFonts().map((font) => JSON.stringify(resolver.get_font_info(readFont(font))))
  return `[\n${lines.join(',\n')}\n]\n`
}
