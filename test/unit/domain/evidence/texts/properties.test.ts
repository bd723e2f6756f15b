import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sources } from '../../../../../adapters/registry.ts'
import { composeEvidence } from '../../../../../domain/evidence/compose.ts'
import { EXHIBIT_KINDS, FACT_NAMES, FACTS } from '../../../../../domain/evidence/fact-catalogue.ts'
import { PLAY_IDS } from '../../../../../domain/evidence/playbooks/playbook.ts'
import { fitSentences } from '../../../../../domain/evidence/texts/fit-sentences.ts'
import { foldedLines, oneLine, wholeSentences } from '../../../../../domain/evidence/texts/prose.ts'
import { CHARGEBACK, CLAIMS, client, input } from '../evidence-input.ts'
import { definitionOf, filled } from './filled.ts'

/** Words of a client in several scripts; none of them looks like a fault of ours. */
const word = fc.constantFrom(
  'parcel',
  'sent.',
  '下单。',
  'شحنة',
  'चला।',
  '🙂',
  'a\u202Eb',
  '\n',
  '  ',
  '\u00A0',
  'x'.repeat(700),
)
const phrase = fc
  .tuple(fc.array(word, { minLength: 1, maxLength: 12 }), fc.constantFrom(1, 1, 1, 40, 3_000))
  .map(([words, times]) => `${words.join(' ')} `.repeat(times).slice(0, 100_000))
const day = fc.integer({ min: 1, max: 28 }).map((date) => `2026-02-${String(date).padStart(2, '0')}T10:00:00Z`)
const value = fc.oneof(phrase, phrase, day, fc.constantFrom('12.00 USD', 'Y', true, 7, null, ['1Z1', '1Z2'], { a: 1 }))
const FIELDS = sources().flatMap((source) => Object.keys(definitionOf(source).evidence?.textFields ?? {}))
const NAMES = [...FACT_NAMES.flatMap((name) => FACTS[name].names ?? []), ...FIELDS]
const points = fc.dictionary(fc.constantFrom(...NAMES), value, { maxKeys: 40, noNullPrototype: true })
const play = fc.constantFrom(...PLAY_IDS)
const exhibits = fc.subarray([...EXHIBIT_KINDS])

test('no text is over a limit, has a gap or a value that is none; equal data gives equal texts in any order', () => {
  const check = fc.property(fc.constantFrom(...sources()), points, play, exhibits, (source, given, claim, files) => {
    const change = { claim: CLAIMS[claim], exhibits: files }
    const { texts, leftOut } = filled(source, given, change)
    const limits = definitionOf(source).evidence
    const all = Object.entries(texts)
    expect(all.reduce((sum, [, text]) => sum + text.length, 0)).toBeLessThanOrEqual(limits?.maxTextCharacters ?? 0)
    for (const [field, text] of all) {
      expect(text.length, field).toBeLessThanOrEqual(limits?.textFields[field] ?? 0)
      expect(text.trim(), field).not.toBe('')
      expect(text, field).toBe(text.trim())
      expect(text, field).not.toMatch(/undefined|NaN|\{\{|\}\}|\[object| {2}|\n\n|[\u202a-\u202e]/)
      expect(text.isWellFormed(), field).toBe(true)
    }
    const turned = Object.fromEntries(Object.entries(given).reverse())
    expect(filled(source, turned, change)).toEqual({ texts, leftOut })
  })
  fc.assert(check, { numRuns: 150 })
})

test('a sentence is whole or absent, and none gives way to a lighter one', () => {
  const check = fc.property(
    points,
    play,
    exhibits,
    fc.integer({ min: 1, max: 3_000 }),
    (given, claim, files, limit) => {
      const own = input({ sources: [client(given), CHARGEBACK], claim: CLAIMS[claim], exhibits: files })
      const said = composeEvidence(own).statements.flatMap(({ text, ...one }) =>
        text === undefined ? [] : [{ ...one, text: oneLine(text) }],
      )
      const { text, without } = fitSentences(said, limit)
      const kept = said.filter(({ id }) => !without.includes(id))
      expect(text).toBe(kept.map((one) => one.text).join(' '))
      expect(text.length).toBeLessThanOrEqual(limit)
      for (const left of said.filter(({ id }) => without.includes(id))) {
        const before = kept
          .filter(({ weight }) => weight >= left.weight)
          .reduce((sum, one) => sum + one.text.length + 1, 0)
        expect(before + left.text.length, left.id).toBeGreaterThan(limit)
      }
    },
  )
  fc.assert(check, { numRuns: 300 })
})

test('a client’s long text is shortened to its first words, never inside one', () => {
  const check = fc.property(phrase, fc.integer({ min: 1, max: 2_000 }), (given, limit) => {
    const whole = foldedLines(given)
    const text = wholeSentences(whole, limit)
    if (text === null || text === whole) return
    const shown = text.replace(/ \[…\]$/, '')
    expect(text.length).toBeLessThanOrEqual(limit)
    expect(whole.startsWith(shown)).toBe(true)
    expect(whole.slice(shown.length - 1, shown.length + 1)).not.toMatch(/^[a-z]{2}$/)
    expect(shown.isWellFormed()).toBe(true)
  })
  fc.assert(check, { numRuns: 300 })
})
