import { deflateSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import type { FilePurpose } from '../../../domain/evidence/file.ts'
import { checkFile } from '../../../files/inspect.ts'
import { samplePdf, samplePng, stream } from '../../harness/sample-files.ts'

async function check(content: Buffer, purpose: FilePurpose = 'evidence_file'): Promise<string> {
  const found = await checkFile(content, purpose)
  return 'refused' in found ? String(found.refused === 'content' && found.reason) : found.type
}
const js = '5 0 << /S /JavaScript >>'

describe('content that a PDF hides from some readers', () => {
  test.each<[string, Buffer, string]>([
    [
      'objects with a filter that is defined elsewhere',
      samplePdf({ objects: [stream(deflateSync(Buffer.from(js)), '/Type /ObjStm /N 1 /First 4 /Filter 9 0 R')] }),
      'parts of it can’t be read',
    ],
    [
      'objects in a stream of another type',
      samplePdf({ objects: [stream(deflateSync(Buffer.from(js)), '/N 1 /First 4 /Filter /FlateDecode')] }),
      'parts of it can’t be read',
    ],
    ['an object in a comment', samplePdf({ objects: ['null % 9 0 obj << /S /JavaScript >> endobj\n'] }), 'JavaScript'],
    ['an object that a later one replaces', replaced(), 'JavaScript'],
    ['an object that doesn’t end', samplePdf({ objects: ['<< /S /JavaScript /JS (x) '] }), 'JavaScript'],
  ])('%s is refused', async (_, content, why) => {
    expect(await check(content)).toContain(why)
  })

  test('a damaged stream is read up to the damage', async () => {
    const body = deflateSync(Buffer.from('BT (x) Tj ET '.repeat(200_000)))
    body.fill(0xff, body.length - 4)
    const texts: string[] = []
    const content = samplePdf({ objects: [stream(body, '/Filter /FlateDecode')] })
    await checkFile(content, 'evidence_file', (text) => texts.push(text))
    expect(texts.some((text) => text.includes('BT (x) Tj ET BT'))).toBe(true)
  })
})

function replaced(): Buffer {
  const [before, after] = samplePdf({ objects: ['<< /S /JavaScript >>'] })
    .toString('latin1')
    .split('trailer')
  return Buffer.from(`${before}5 0 obj\nnull\nendobj\ntrailer${after}`, 'latin1')
}

describe('a PNG with many texts', () => {
  const text = (length: number) => Buffer.concat([Buffer.from('C\0\0'), deflateSync(Buffer.alloc(length, 'x'))])
  const image = (chunks: [string, Buffer][]) => check(samplePng({ chunks }), 'evidence_image')

  test('is refused if they inflate to more than 8 MB together', async () => {
    expect(await image(Array(7).fill(['zTXt', text(1_000_000)]))).toBe('image/png')
    expect(await image(Array(9).fill(['zTXt', text(1_000_000)]))).toContain('unfold to more than 8 MB')
  })

  test('is refused if there are more than can be read', async () => {
    expect(await image(Array(19).fill(['tEXt', Buffer.from('C\0x')]))).toBe('image/png')
    expect(await image(Array(500).fill(['tEXt', Buffer.from('C\0x')]))).toContain('more texts')
  })

  test('is accepted with an international text that is not compressed', async () => {
    expect(await image([['iTXt', Buffer.from('XML:com.adobe.xmp\0\0\0\0\0<x:xmpmeta/>')]])).toBe('image/png')
  })
})
