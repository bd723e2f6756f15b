import { deflateSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { checkFile } from '../../../api/file-checks.ts'
import type { FilePurpose } from '../../../db/files.ts'
import { samplePdf, samplePng, stream } from '../../harness/sample-files.ts'

const LARGE = 6_000_000
/** 8 would be in proportion, 64 is what looking ahead from each place costs. */
const MOST_GROWTH = 30

const repeated = (text: string, length: number) => text.repeat(Math.ceil(length / text.length)).slice(0, length)
const flate = (text: string) => stream(deflateSync(Buffer.from(text, 'latin1')), '/Filter /FlateDecode')
/** The text over and over, between a PDF's first line and its last. */
const bare = (text: string) => (length: number) => Buffer.from(`%PDF-1.4\n${repeated(text, length)}\n%%EOF\n`, 'latin1')
/** The same in a compressed stream, which takes a thousandth of that on the wire. */
const packed =
  (before: string, text: string, behind = '') =>
  (length: number) =>
    samplePdf({ objects: [flate(before + repeated(text, length) + behind)] })
const filters = (length: number) => samplePdf({ objects: [stream(Buffer.from('x'), repeated('/Filter[', length))] })
/** Text under a table in which every code stands for the longest text of all. */
const wide = flate(`begincmap beginbfrange <0000> <ffff> <${'0041'.repeat(256)}> endbfrange`)
const amplified = (length: number) => samplePdf({ objects: [wide, flate(`BT (${repeated('ab', length)}) Tj`)] })

const check = (content: Buffer, purpose: FilePurpose = 'evidence_file') =>
  checkFile(content, purpose).catch((error) => {
    if (error.code !== 'file_refused') throw error
    return error.message as string
  })

/** How much longer the check takes of eight times the length; of some tries, which a busy machine only lengthens. */
async function growth(make: (length: number) => Buffer): Promise<number> {
  const files = [make(16_000), make(128_000)] as const
  const shortest: [number, number] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (let n = 0; n < 3 || (n < 12 && shortest[1] > MOST_GROWTH * shortest[0]); n++)
    for (const at of [0, 1] as const) {
      const began = performance.now()
      await check(files[at])
      shortest[at] = Math.min(shortest[at], performance.now() - began)
    }
  return shortest[1] / shortest[0]
}

describe('what a PDF’s check costs grows with its length, and it is taken or refused', () => {
  test.each<[string, (length: number) => Buffer]>([
    ['ends of dictionaries before a comment that doesn’t end', bare('>>%')],
    ['comments before a stream that doesn’t come', bare('>>%\n')],
    ['streams in comments', bare('% stream\n')],
    ['white space', bare(' ')],
    ['lists of filters without their ends', filters],
    ['tables of characters without their ends', packed('begincmap ', 'beginbfchar')],
    ['tables of ranges without their ends', packed('begincmap ', 'beginbfrange')],
    ['lists of a range without their ends', packed('begincmap beginbfrange ', '<0><0>[', ' endbfrange')],
    ['one range again and again', packed('begincmap beginbfrange ', '<0000> <ffff> <0000>', ' endbfrange')],
    ['brackets that nobody closes', packed('BT ', '(')],
    ['numbers that nobody closes', packed('BT ', '<6')],
    ['letters spelt by numbers', packed('BT (', '\\101')],
  ])('%s', async (_, make) => {
    expect(await growth(make)).toBeLessThan(MOST_GROWTH)
    expect(await check(make(LARGE))).toMatch(/^application\/pdf$|more text than can be looked through/)
  })

  test.each<[string, Buffer]>([
    ['millions of strings', packed('BT ', '(a)')(9_000_000)],
    ['codes that stand for long texts', amplified(200_000)],
  ])('%s are refused', async (_, content) => {
    expect(await check(content)).toContain('it has more text than can be looked through')
  })

  test('streams under a filter that is told elsewhere are not taken for plain', async () => {
    const hidden = stream(deflateSync(Buffer.from('5 0 << /S /JavaScript >>')), '/Type /ObjStm /Filter 9 0 R')
    expect(await check(samplePdf({ objects: [hidden] }))).toContain('parts of it can’t be read')
  })

  test('a damaged stream shows what comes before its damage', async () => {
    const body = deflateSync(Buffer.from(repeated('BT (x) Tj ET ', 200_000)))
    body.fill(0xff, body.length - 4)
    const texts: string[] = []
    await checkFile(samplePdf({ objects: [stream(body, '/Filter /FlateDecode')] }), 'evidence_file', (text) =>
      texts.push(text),
    )
    expect(texts.some((text) => text.includes('BT (x) Tj ET BT'))).toBe(true)
  })
})

describe('a PNG of many texts', () => {
  const text = (length: number) => Buffer.concat([Buffer.from('C\0\0'), deflateSync(Buffer.alloc(length, 'x'))])
  const image = (chunks: [string, Buffer][]) => check(samplePng({ chunks }), 'evidence_image')

  test('is refused when they unfold to more than 8 MB together', async () => {
    expect(await image(Array(7).fill(['zTXt', text(1_000_000)]))).toBe('image/png')
    expect(await image(Array(9).fill(['zTXt', text(1_000_000)]))).toContain('unfold to more than 8 MB')
    expect(await image(Array(6_000).fill(['zTXt', text(1_000_000)]))).toContain('unfold to more than 8 MB')
  })

  test('is refused when one is damaged, and taken with an international one that isn’t compressed', async () => {
    expect(await image([['zTXt', Buffer.from('C\0\0not deflated')]])).toContain('damaged')
    expect(await image([['iTXt', Buffer.from('XML:com.adobe.xmp\0\0\0\0\0<x:xmpmeta/>')]])).toBe('image/png')
  })

  test('is taken with half a million empty ones', async () => {
    expect(await image(Array(500_000).fill(['tEXt', Buffer.alloc(0)]))).toBe('image/png')
  })
})
