import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path/posix'

/** Files of the repository whose names match; also those that are not committed yet. */
export function filesOf(...patterns: string[]): string[] {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard', ...patterns], {
    encoding: 'utf8',
  })
  return [...new Set(listed.split('\0').filter(Boolean))].filter((path) => existsSync(path))
}

export const read = (path: string) => readFileSync(path, 'utf8')

/** The text without fenced blocks and inline code. */
const prose = (text: string) => text.replace(/^(`{3,})[\s\S]*?^\1/gm, '').replace(/`[^`\n]*`/g, '')

/** Targets of links and pictures. */
export function linksOf(text: string): string[] {
  const found = prose(text).matchAll(/\]\(([^)\s]+)\)|(?:src|href)="([^"]+)"/g)
  return [...found].map(([, link, tag]) => (link ?? tag) as string)
}

/** Anchors of a page's headings, as GitHub makes them. */
export function anchorsOf(text: string): Set<string> {
  const anchors = new Set<string>()
  const outsideFences = text.replace(/^(`{3,})[\s\S]*?^\1/gm, '')
  for (const [, heading = ''] of outsideFences.matchAll(/^#{1,6} +(.*)$/gm)) {
    const words = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase()
    const anchor = words.replace(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-')
    let unique = anchor
    for (let count = 1; anchors.has(unique); count++) unique = `${anchor}-${count}`
    anchors.add(unique)
  }
  return anchors
}

/** Broken links of one page. @param text its content, by default that of the file */
export function brokenLinks(path: string, text: string = read(path)): string[] {
  return linksOf(text).filter((link) => {
    if (/^[a-z]+:/.test(link)) return false
    const [file = '', anchor] = link.split('#')
    const target = file === '' ? path : join(dirname(path), file)
    if (file !== '' && !existsSync(target)) return true
    if (anchor === undefined || !target.endsWith('.md')) return false
    return !anchorsOf(file === '' ? text : read(target)).has(anchor)
  })
}

/** Pages that a source file names (`docs/interface.md#scope`) and that don't exist. */
export function brokenCitations(text: string): string[] {
  const cited = [...text.matchAll(/\bdocs\/[\w/-]+\.md(?:#[\w-]+)?/g)].map(([citation]) => citation)
  return cited.filter((citation) => {
    const [file = '', anchor] = citation.split('#')
    return !existsSync(file) || (anchor !== undefined && !anchorsOf(read(file)).has(anchor))
  })
}
