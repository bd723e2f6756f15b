import { describe, expect, it, test } from 'vitest'
import { anchorsOf, brokenCitations, brokenLinks, filesOf, linksOf, read } from './markdown.ts'

const pages = filesOf('*.md')
const sources = filesOf('*.ts', '*.yml', 'Dockerfile', '*.json')

describe('links between documents', () => {
  test.each(pages)('of %s lead to files and headings that exist', (page) => {
    expect(brokenLinks(page)).toEqual([])
  })

  it('are checked in the pages that matter', () => {
    for (const page of ['README.md', 'docs/operating.md', 'docs/interface.md', 'adapters/stripe/BEHAVIOR.md'])
      expect(pages).toContain(page)
    expect(linksOf(read('README.md')).length).toBeGreaterThan(10)
  })

  it('are broken when the file, the heading or the heading of the page itself is missing', () => {
    const text = '# One\n[a](testing.md) [b](gone.md) [c](testing.md#gone) [d](#one) [e](#two) [f](https://example.com)'
    expect(brokenLinks('docs/planted.md', text)).toEqual(['gone.md', 'testing.md#gone', '#two'])
  })

  it('are only those outside of code', () => {
    expect(linksOf('`[a](b)` [c](d) <img src="e.png">\n```\n[f](g)\n```\n')).toEqual(['d', 'e.png'])
  })

  it('name headings as GitHub does', () => {
    const text =
      '# Replace a key\n## `status`: what it is\n## Ends, and *how*\n## Ends, and how\n```\n# no heading\n```\n'
    expect([...anchorsOf(text)]).toEqual(['replace-a-key', 'status-what-it-is', 'ends-and-how', 'ends-and-how-1'])
  })
})

describe('documents that the code names', () => {
  it('exist, with the heading', () => {
    const broken = sources.flatMap((path) => brokenCitations(read(path)).map((citation) => `${path}: ${citation}`))
    expect(broken.filter((line) => !line.startsWith('test/unit/docs/'))).toEqual([])
  })

  it('are reported if they do not exist', () => {
    expect(brokenCitations('// see docs/testing.md, docs/gone.md and docs/testing.md#gone')).toEqual([
      'docs/gone.md',
      'docs/testing.md#gone',
    ])
  })
})
