import { createHash, randomFillSync } from 'node:crypto'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { prepareExhibit } from '../../../../files/evidence/prepare-exhibit.ts'
import type { Jobs } from '../../../../files/jobs.ts'
import { createFileProcesses, type FileProcesses } from '../../../../files/processes.ts'
import { FileFailed, FileKilled } from '../../../../files/refusals.ts'
import { buildPackage, type CaseRequest, IN_PROCESS, LIMITS } from './build-package.ts'
import { contentOf } from './hostile-exhibits.ts'
import { FULL_PACKAGES, type PackageCase } from './package-cases.ts'
import { BAD_DATA } from './packages.ts'
import { folded, pagesByPdfJs } from './pdf-text.ts'

const hash = (content: Uint8Array) => createHash('sha256').update(content).digest('hex')
const { not_received: RECEIVED } = FULL_PACKAGES

async function built(one: PackageCase, request?: CaseRequest) {
  const made = await buildPackage(one, request)
  if ('refused' in made) throw new Error(made.refused)
  return { ...made, text: (await pagesByPdfJs(made.pdf)).join('\n') }
}

/** A picture that no encoder makes small. */
const noise = (width = 700, height = 900) =>
  sharp(randomFillSync(Buffer.alloc(width * height * 3)), { raw: { width, height, channels: 3 } })

const prepared = async (content: Uint8Array, size: Jobs['prepareExhibit']['input']['size'] = 'full') => {
  const one = await prepareExhibit({ content, size })
  if ('refused' in one) throw new Error(one.refused)
  return one
}

describe('an exhibit', () => {
  test('is a picture, upright, grey, without metadata, and no larger than the page needs', async () => {
    const content = await noise(2_000, 1_000)
      .withExif({ IFD0: { Copyright: 'planted', Orientation: '6' } })
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer()
    expect((await sharp(content).metadata()).exif?.toString('latin1')).toContain('planted')
    const { content: made, pages } = await prepared(content)
    expect(await sharp(made).metadata()).toMatchObject({ format: 'jpeg', channels: 1, width: 877, height: 1754 })
    expect(pages).toEqual([{ width: 877 * 0.75, height: 1754 * 0.75 }])
    expect(Buffer.from(made).toString('latin1')).not.toContain('planted')
    const small = await prepared(content, 'small')
    expect(small.content.length).toBeLessThan(made.length / 2)
  })

  test('is a transparent picture on white', async () => {
    const clear = { width: 10, height: 10, channels: 4, background: '#00000000' } as const
    const { content } = await prepared(await sharp({ create: clear }).png().toBuffer())
    expect([...(await sharp(content).raw().toBuffer())].every((pixel) => pixel === 255)).toBe(true)
  })

  test('has the first 15 pages of a PDF, with the values of its form and without fields', async () => {
    const { content, pages, of } = await prepared(await contentOf('form.pdf'))
    expect([pages.length, of]).toEqual([15, 40])
    expect(Buffer.from(content).toString('latin1')).not.toContain('/AcroForm')
    const { text, warnings } = await built(
      { ...RECEIVED, files: [{ name: 'form.pdf', kind: 'delivery' }] },
      { limits: { ...LIMITS, pages: 40 } },
    )
    expect(text).toContain('Received by Ada Byron')
    expect(text).toMatch(/Exhibit A, page 15 of 15.*Sheet 15/s)
    expect(text).toContain('These are the first 15 of 40 pages.')
    expect(warnings).toEqual(['Exhibit A has the first 15 of 40 pages.'])
  })

  test.each([
    ['encrypted.pdf', 'it is encrypted'],
    ['broken.pdf', 'it is damaged or incomplete'],
    ['truncated.jpg', 'it is damaged or incomplete'],
    ['animated.png', 'it is animated'],
    ['fake.png', 'it is neither a PDF nor a PNG or JPEG picture'],
  ])('is not %s: %s', async (name, refused) => {
    expect(await prepareExhibit({ content: await contentOf(name), size: 'full' })).toEqual({ refused })
  })
})

describe('evidence with exhibits', () => {
  test('names each exhibit on its pages, with caption, statements and pages', async () => {
    const { text, pages, exhibits, dropped, warnings } = await built(RECEIVED)
    expect([pages, dropped, warnings]).toEqual([5, [], []])
    expect(exhibits.map(({ letter, pages }) => `${letter}${pages}`)).toEqual(['A2', 'B1', 'C1'])
    expect(folded(text)).toContain(
      folded('to 12 Mill Lane, Leeds, LS1 4DY, GB (tracking number 00340434161094042557). See Exhibit A.'),
    )
    expect(folded(text)).toContain(
      folded(
        'Exhibit A, page 1 of 2: Proof of delivery Proof of delivery of the carrier Enclosed for statements 1 and 2.',
      ),
    )
    expect(text).toContain('Sorted at Bradford')
  })

  test('leaves out files that can’t be enclosed, and then says nothing that they would show', async () => {
    const { dropped, exhibits, text } = await built(BAD_DATA)
    expect(dropped.map(({ fileId, why }) => [BAD_DATA.files[Number(fileId)]?.name, why]).sort()).toEqual([
      ['animated.png', 'The file is left out, because it is animated.'],
      ['broken.pdf', 'The file is left out, because it is damaged or incomplete.'],
      ['encrypted.pdf', 'The file is left out, because it is encrypted.'],
      ['fake.png', 'The file is left out, because it is neither a PDF nor a PNG or JPEG picture.'],
      ['truncated.jpg', 'The file is left out, because it is damaged or incomplete.'],
    ])
    expect(exhibits).toMatchObject([{ fileId: '5', letter: 'A' }])
    expect(text).not.toMatch(/Exhibit B|Half of a photograph|is enclosed/)
    const slip: PackageCase = { ...FULL_PACKAGES.fraud_cp, files: [{ name: 'truncated.jpg', kind: 'receipt' }] }
    expect((await built(slip)).text).not.toMatch(/record of the sale|enclosed|See Exhibit/)
  })

  test('leaves out a file that ends its process or fails its library, and waits for a busy machine', async () => {
    const failing = (error: Error): FileProcesses => ({
      ...IN_PROCESS,
      run: async (asked) => {
        if (asked.job === 'prepareExhibit') throw error
        return IN_PROCESS.run(asked)
      },
    })
    const dropped = async (error: Error) => (await built(RECEIVED, { processes: failing(error) })).dropped[0]?.why
    expect(await dropped(new FileKilled('memory', true))).toBe('The file is left out, because it is too complex.')
    expect(await dropped(new FileFailed('prepareExhibit', 'RuntimeError'))).toMatch(/damaged or incomplete/)
    const busy = new FileKilled('starved', false)
    await expect(buildPackage(RECEIVED, { processes: failing(busy) })).rejects.toBe(busy)
  })

  test('has the same bytes in a process that can be killed', async () => {
    const options = { cpuMs: 20_000, wallMs: 60_000, processes: 1, waitMs: 0, purpose: 'render' } as const
    await using processes = createFileProcesses({ ...options, log: { warn() {} } })
    const [here, there] = [await built(RECEIVED), await built(RECEIVED, { processes })]
    expect(hash(there.pdf)).toBe(hash(here.pdf))
  })
})

describe('evidence that is too large', () => {
  const photos: PackageCase = {
    ...RECEIVED,
    files: [
      { name: 'delivery.pdf', kind: 'delivery' },
      { name: 'one', kind: 'photo' },
      { name: 'two', kind: 'photo' },
    ],
  }
  const contents = async () => ({ one: await noise().png().toBuffer(), two: await noise().png().toBuffer() })

  test('has smaller pictures first, then fewer exhibits from the lightest', async () => {
    const request = { contents: await contents() }
    const whole = await built(photos, request)
    expect([whole.warnings, whole.exhibits.length]).toEqual([[], 3])
    const bytes = whole.pdf.length - 1
    const smaller = await built(photos, { ...request, limits: { ...LIMITS, bytes } })
    expect(smaller.warnings).toEqual([
      'Pictures are printed in a lower resolution, so that the document is not too large.',
    ])
    expect([smaller.exhibits.length, smaller.pdf.length < bytes]).toEqual([3, true])
    const fewer = await built(photos, { ...request, limits: { ...LIMITS, bytes: smaller.pdf.length - 1 } })
    expect(fewer.exhibits.map(({ fileId }) => fileId)).toEqual(['0', '1'])
    expect(fewer.dropped).toEqual([
      { fileId: '2', why: 'The file is left out, because the PSP takes no larger document.' },
    ])
    expect(fewer.text).not.toContain('Exhibit C')
  })

  test('has fewer pages: the last ones of the lightest exhibit, then none of it', async () => {
    const pages = (most: number, change: Partial<CaseRequest> = {}) =>
      built(photos, { limits: { ...LIMITS, pages: most }, contents: small, ...change })
    const small = { one: await contentOf('parcel.jpg'), two: await contentOf('parcel.jpg') }
    const whole = await pages(19)
    expect(whole.pages).toBe(5)
    const four = await pages(4)
    expect([four.pages, four.exhibits.map(({ letter, pages }) => `${letter}${pages}`)]).toEqual([4, ['A2', 'B1']])
    const two = await pages(2)
    expect([two.pages, two.exhibits.map(({ letter, pages }) => `${letter}${pages}`)]).toEqual([2, ['A1']])
    expect([whole.exhibitsCut, two.exhibitsCut]).toEqual([[], ['0']])
    expect(two.warnings).toEqual(['Exhibit A has the first 1 of 2 pages.'])
    // Texts count as pages: 3,001 characters are two.
    const limits = { ...LIMITS, pages: 6, charactersPerPage: 3_000 }
    expect((await pages(6, { limits, textCharacters: 3_001 })).pages).toBe(4)
  })

  test('is refused with a sentence if the texts alone are too large', async () => {
    expect(await buildPackage(RECEIVED, { limits: { ...LIMITS, bytes: 5_000 } })).toMatchObject({
      refused: expect.stringMatching(/^The texts alone have \d+ bytes, and the PSP takes 5000\./),
      dropped: expect.arrayContaining([expect.objectContaining({ fileId: '0' })]),
    })
    expect(await buildPackage(RECEIVED, { limits: { ...LIMITS, pages: 0 } })).toMatchObject({
      refused: expect.stringMatching(/^The texts alone have 1 page, and the PSP takes 0\./),
    })
    expect(await buildPackage(FULL_PACKAGES.compliance)).toMatchObject({
      refused: expect.stringMatching(/^A person has to answer reason 98/),
    })
  })

  test('has long tables without the marks of their cells before anything is left out', async () => {
    const orderItems = Array.from({ length: 25 }, (_, index) => ({ name: `Shoe ${index}`, amount: `${index}.90 USD` }))
    const long = { ...RECEIVED, files: [], points: { ...RECEIVED.points, orderItems } }
    const whole = await built(long)
    const less = await built(long, { limits: { ...LIMITS, bytes: whole.pdf.length - 1 } })
    expect(less.pdf.length).toBeLessThan(whole.pdf.length - 5_000)
    const words = (text: string) => text.split(/\s+/).sort()
    expect(words(less.text)).toEqual(words(whole.text))
    expect([whole.dropped, less.dropped]).toEqual([[], []])
  })

  test('leaves out tables before it is refused', async () => {
    const { pages, warnings, tablesLeft } = await built({ ...BAD_DATA, files: [] }, { limits: { ...LIMITS, pages: 3 } })
    expect(pages).toBeLessThanOrEqual(3)
    expect(tablesLeft).toContain('Correspondence')
    expect(warnings).toContain('There is no room for the table "Correspondence".')
  })
})
