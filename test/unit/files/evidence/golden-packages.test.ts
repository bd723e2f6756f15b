import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { buildPackage, LIMITS } from './build-package.ts'
import { expectGolden } from './golden.ts'
import { contentOf } from './hostile-exhibits.ts'
import { FULL_PACKAGES, type PackageCase } from './package-cases.ts'
import { BAD_DATA, PACKAGES } from './packages.ts'
import { folded, hasPoppler, textByPoppler } from './pdf-text.ts'

// `npm test` runs four of them. Look at the pages before a golden file is changed: `npm run evidence-pictures`.
test.each(Object.keys(PACKAGES))('%s is the package that was looked at', expectGolden)

if (!hasPoppler) console.warn('SKIPPED: packages are not read by pdftotext, which is not installed')

// Poppler writes words of right-to-left scripts in the order in which they are seen.
const RIGHT_TO_LEFT = /\p{Script=Arabic}|\p{Script=Hebrew}/u

test.skipIf(!hasPoppler).each(Object.entries(PACKAGES))(
  'pdftotext finds every statement of %s and no dropped one, and no page is blank',
  async (name, one) => {
    const made = await buildPackage(one)
    if ('refused' in made) return expect(name).toMatch(/^compliance|-thin$|refused$/)
    const read = textByPoppler(made.pdf)
    const text = folded(read)
    const { document, composed } = made.written
    for (const statement of document.statements.filter((said) => !RIGHT_TO_LEFT.test(said)))
      expect(text).toContain(folded(statement))
    expect(document.statements).toHaveLength(
      composed.statements.filter(({ kept, inCaseTable }) => kept && !inCaseTable).length,
    )
    for (const { letter, title } of document.exhibits)
      expect(text).toMatch(new RegExp(folded(`Exhibit ${letter}.*${RIGHT_TO_LEFT.test(title) ? '' : title}`)))
    const pages = read.split('\f').slice(0, -1)
    expect(pages).toHaveLength(made.pages)
    expect(pages.filter((page) => page.trim() === '')).toEqual([])
  },
)

test.skipIf(!hasPoppler)('pdftotext reads the letters of other scripts as they were sent', async () => {
  const made = await buildPackage(PACKAGES.scripts as PackageCase)
  if ('refused' in made) throw new Error(made.refused)
  const text = folded(textByPoppler(made.pdf))
  for (const sent of ['जूते, आकार 42', 'รองเท้าผ้าใบ', '運動鞋（藍色）・スニーカー', 'ОБУВЬ', '山田 太郎', 'giày chạy bộ'])
    expect(text).toContain(folded(sent))
})

const names = [...BAD_DATA.files, ...FULL_PACKAGES.not_received.files].map(({ name }) => name)
const points = Object.keys({ ...FULL_PACKAGES.fraud_cnp.points, ...BAD_DATA.points })

test('any data and files give a PDF within the limits, or a sentence; the order of names is irrelevant', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...Object.values(FULL_PACKAGES)),
      fc.dictionary(
        fc.constantFrom(...points),
        fc.oneof(fc.jsonValue(), fc.string({ maxLength: 5_000, unit: 'binary' })),
      ),
      fc.uniqueArray(fc.constantFrom(...names), { maxLength: 4 }),
      fc.record({ bytes: fc.integer({ min: 20_000, max: 400_000 }), pages: fc.integer({ min: 1, max: 19 }) }),
      async (base, changed, chosen, most) => {
        const files = [...BAD_DATA.files, ...FULL_PACKAGES.not_received.files].filter(({ name }) =>
          chosen.includes(name),
        )
        const data = { ...base.points, ...changed }
        const contents = Object.fromEntries(
          await Promise.all(chosen.map(async (name) => [name, await contentOf(name)])),
        )
        const request = { limits: { ...LIMITS, ...most }, contents }
        const build = (given: Record<string, unknown>) => buildPackage({ ...base, points: given, files }, request)
        const [made, again] = [await build(data), await build(Object.fromEntries(Object.entries(data).reverse()))]
        if ('refused' in made) {
          expect(made.refused).toMatch(/^(Nothing that is known|A person has|The sentences are|The texts alone)/)
          expect(again).toEqual(made)
          return
        }
        if ('refused' in again) throw new Error('refused in another order')
        expect(made.pdf.length).toBeLessThanOrEqual(most.bytes)
        expect(made.pages).toBeLessThanOrEqual(most.pages)
        expect(sha256(again.pdf)).toBe(sha256(made.pdf))
        expect(made.exhibits.length + made.dropped.length + made.written.filesLeft.length).toBe(files.length)
      },
    ),
    { numRuns: 15, seed: 1 },
  )
}, 600_000)

const sha256 = (content: Uint8Array) => createHash('sha256').update(content).digest('hex')
