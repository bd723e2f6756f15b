import { describe, expect, test } from 'vitest'
import { adapters } from '../../../adapters/registry.ts'
import type { TextField } from '../../../adapters/stripe/evidence-limits.ts'
import { FACTS, isFactName } from '../../../domain/evidence/fact-catalogue.ts'
import type { FieldTable, TextSource } from '../../../domain/evidence/texts/text-table.ts'

const factsOf = (source: TextSource): string[] => {
  if ('summary' in source) return []
  if ('sentencesWith' in source) return [...source.sentencesWith]
  if ('fact' in source) return [source.fact, ...(source.only ? [source.only] : [])]
  return ['ids' in source ? source.ids : source.log]
}

describe.each(adapters().map((one) => [one.source, one] as const))('the text table of %s', (_, definition) => {
  const limits = definition.evidence?.textFields ?? {}
  const table = Object.entries(definition.textTable?.fields ?? {})

  test('exists if the PSP has text fields, with the case in short', () => {
    const summaries = table.filter(([, sources]) => sources?.some((source) => 'summary' in source))
    expect(summaries).toHaveLength(Object.keys(limits).length > 0 ? 1 : 0)
  })

  test('names fields of the adapter’s limits, and never more characters than they have', () => {
    for (const [field, sources = []] of table) {
      expect(Object.keys(limits)).toContain(field)
      for (const source of sources) {
        const most = 'summary' in source ? source.summary : 'most' in source ? source.most : undefined
        expect(most ?? 0, field).toBeLessThanOrEqual(limits[field] ?? 0)
      }
    }
  })

  test('names facts; dates that the PSP parses are dates, and only identifiers become lists', () => {
    for (const source of table.flatMap(([, sources = []]) => sources)) {
      expect(factsOf(source).filter((name) => !isFactName(name))).toEqual([])
      if ('iso' in source) expect(FACTS[source.fact].kind).toBe('date')
      if ('ids' in source) expect(FACTS[source.ids].kind).toBe('id')
    }
  })
})

/** tsc does the check: an expected error that is missing is an error. */
test('a misspelt field or fact does not compile', () => {
  const tables: FieldTable<TextField>[] = [
    { product_description: [{ fact: 'goods' }] },
    // @ts-expect-error no such field
    { product_descripton: [{ fact: 'goods' }] },
    // @ts-expect-error no such fact
    { product_description: [{ fact: 'good' }] },
    // @ts-expect-error no such fact
    { product_description: [{ sentencesWith: ['good'], most: 1 }] },
  ]
  expect(tables).toHaveLength(4)
})
