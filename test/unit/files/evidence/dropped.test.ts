import { expect, test } from 'vitest'
import type { Overrides } from '../../../../domain/evidence/overrides.ts'
import { assemblePackage } from '../../../../domain/evidence/package/package-content.ts'
import { buildEvidence } from '../../../../files/build-evidence.ts'
import { client, NOW } from '../../domain/evidence/evidence-input.ts'
import { definitionOf } from '../../domain/evidence/texts/filled.ts'
import { IN_PROCESS, LIMITS } from './build-package.ts'
import { contentOf } from './hostile-exhibits.ts'
import { claimOf, FULL_PACKAGES, type PackageCase, sourcesOf } from './package-cases.ts'
import { folded, pagesByPdfJs } from './pdf-text.ts'

const { evidence: limits, textTable: table = { fields: {} } } = definitionOf('stripe')
const NO_FILE = new TextEncoder().encode('no file')
/** The play of compliance is never built. */
const CASES = Object.values(FULL_PACKAGES).filter(({ play }) => play !== 'compliance')

interface Change {
  overrides?: Overrides
  /** Of a file that can't be read. */
  broken?: string
}

function inputOf(one: PackageCase, overrides: Overrides) {
  if (!limits) throw new Error('Stripe accepts no evidence.')
  const { merchantName = 'Shoes Example Ltd', earlier = null, earlierPayments = [] } = one
  const files = one.files.map(({ name, kind, caption = null, highlights = [] }) => ({
    ...{ fileId: name, of: 'chargeback' as const, kind, caption, highlights },
  }))
  return {
    evidence: { claim: claimOf(one), sources: sourcesOf(one), earlier, earlierPayments, now: NOW, overrides },
    purchases: { cardScheme: null, reasonCode: null, postingDate: null, disputed: {}, earlier: [] },
    ...{ client: [client(one.points)], merchantName, table, limits, files },
  }
}

/** All that a case would say. */
const sentencesOf = (one: PackageCase) =>
  assemblePackage(inputOf(one, {})).content.statements.flatMap(({ id, text }) =>
    text === undefined ? [] : { id, text },
  )

/** What a worker makes of a case: its sentences, and all that anybody reads. Null if nothing answers the claim. */
async function packageOf(one: PackageCase, { overrides = {}, broken }: Change) {
  const { files, ...input } = inputOf(one, overrides)
  const made = await buildEvidence(IN_PROCESS, {
    ...{ account: 'acme', limits: LIMITS },
    files: files.map((file) => ({
      ...file,
      read: async () => (file.fileId === broken ? NO_FILE : contentOf(file.fileId)),
    })),
    write(left) {
      const assembled = assemblePackage({ ...input, files: left })
      const { document, content, textCharacters } = assembled
      return typeof document === 'string'
        ? document
        : { document, exhibits: content.exhibits, textCharacters, assembled }
    },
  })
  if ('refused' in made) return null
  const { document, assembled } = made.written
  return {
    said: assembled.content.statements.flatMap(({ text }) => text ?? []),
    dropped: made.dropped.map(({ fileId }) => fileId),
    pdf: folded((await pagesByPdfJs(made.pdf)).join('\n')),
    json: folded(JSON.stringify([document, assembled.content])),
  }
}

type Made = NonNullable<Awaited<ReturnType<typeof packageOf>>>

const inJson = (text: string) => folded(JSON.stringify(text).slice(1, -1))

/** @param words of the client, which also fill a field of the PSP that has their name */
function expectNone(made: Made, texts: readonly string[], words: readonly unknown[] = []) {
  // Else nothing would be found in a document that can't be read, either.
  for (const text of made.said) expect(made.json).toContain(inJson(text))
  expect(made.pdf).toContain(folded('Reason'))
  for (const text of texts) {
    expect(made.pdf).not.toContain(folded(text))
    if (!words.includes(text)) expect(made.json).not.toContain(inJson(text))
  }
}

test.each(CASES)('$play: a sentence that is left out is nowhere', async (one) => {
  const [, ...others] = sentencesOf(one)
  expect(others).not.toEqual([])
  const body = { statements: others.map(({ id }) => ({ id, off: true })) }
  const made = await packageOf(one, { overrides: { [one.play]: { version: 1, body } } })
  if (!made) throw new Error('nothing answers the claim')
  const left = others.map(({ text }) => text)
  expectNone(made, left, Object.values(one.points))
})

// For a sale at a terminal, no evidence is built without the terminal's receipt.
test.each(CASES.filter(({ play }) => play !== 'fraud_cp'))(
  '$play: a file that can’t be read is nowhere, nor is a sentence that needs it',
  async (one) => {
    const { name = '', caption = '' } = one.files[0] ?? {}
    const made = await packageOf(one, { broken: name })
    if (!made) throw new Error('nothing answers the claim')
    expect(made.dropped).toEqual([name])
    const left = sentencesOf(one).map(({ text }) => text)
    expectNone(made, [caption, ...left.filter((text) => !made.said.includes(text))])
  },
)

test('a value that contradicts another, or can’t be right, is nowhere', async () => {
  const { not_received: received } = FULL_PACKAGES
  const struck = {
    ...{ refundDate: '2026-03-05', refundAmount: '999.99 USD', refundId: 're_77' },
    ...{ lastUseDate: '2025-02-03', expectedDeliveryDate: 'next Monday', renewalNoticeDate: '2999-05-06' },
  }
  const made = await packageOf({ ...received, points: { ...received.points, ...struck } }, {})
  if (!made) throw new Error('nothing answers the claim')
  expectNone(made, ['999.99', '3 February 2025', 'next Monday', '2999'])
})
