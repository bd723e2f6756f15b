import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

/** WCAG 2.2, 1.4.3 and 1.4.11: text needs 4.5, the border of a field 3. */
const STYLE = new URL('../../../console/style/', import.meta.url)
const css = readFileSync(new URL('tokens.css', STYLE), 'utf8')
const tokens = new Map(
  [...css.matchAll(/--([a-z]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/g)].map(
    ([, name = '', light = '', dark = '']) => [name, { light, dark }],
  ),
)

function luminance(colour: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((start) => {
    const channel = Number.parseInt(colour.slice(start, start + 2), 16) / 255
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

function contrast(a: string, b: string): number {
  const [low = 0, high = 0] = [luminance(a), luminance(b)].sort((one, two) => one - two)
  return (high + 0.05) / (low + 0.05)
}

const of = (name: string, scheme: 'light' | 'dark') => {
  const token = tokens.get(name)
  if (!token) throw new Error(`there is no token ${name}`)
  return token[scheme]
}
const cases = (['light', 'dark'] as const).flatMap((scheme) =>
  ['page', 'raised'].flatMap((surface) =>
    [
      ...['fg', 'muted', 'accent', 'bad', 'warn', 'good'].map((name) => [name, 4.5] as const),
      ['border', 3] as const,
    ].map(([name, least]) => ({ scheme, surface, name, least })),
  ),
)

test.each(cases)('$name on $surface, $scheme: at least $least', ({ scheme, surface, name, least }) => {
  expect(contrast(of(name, scheme), of(surface, scheme))).toBeGreaterThanOrEqual(least)
})

test.each(['light', 'dark'] as const)('the words of a filled button, %s', (scheme) => {
  for (const filled of ['accent', 'bad'])
    expect(contrast(of('page', scheme), of(filled, scheme)), filled).toBeGreaterThanOrEqual(4.5)
})

test('styles use tokens: no colour of their own', () => {
  const files = readdirSync(STYLE).filter((name) => name.endsWith('.css') && name !== 'tokens.css')
  expect(files).toEqual(expect.arrayContaining(['base.css', 'case.css', 'print.css']))
  for (const file of files) {
    const text = readFileSync(new URL(file, STYLE), 'utf8')
    expect(text.match(/#[0-9a-f]{3,8}\b|\b(rgba?|hsla?|hwb|lab|lch|oklab|oklch|color)\(/gi), file).toBeNull()
  }
})
