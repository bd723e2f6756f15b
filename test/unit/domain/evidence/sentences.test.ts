import { describe, expect, test } from 'vitest'
import { checkPlaybooks } from '../../../../domain/evidence/check-playbooks.ts'
import { FACT_NAMES, FACTS, type FactName } from '../../../../domain/evidence/fact-catalogue.ts'
import type { Facts, FactValue } from '../../../../domain/evidence/gather-facts.ts'
import { PLAYBOOKS } from '../../../../domain/evidence/playbooks/index.ts'
import type { Statement } from '../../../../domain/evidence/playbooks/playbook.ts'
import { parseSentence, renderSentence } from '../../../../domain/evidence/templates.ts'
import { readDate } from '../../../../domain/evidence/written-dates.ts'
import { readMoney } from '../../../../domain/evidence/written-money.ts'

const fact = (value: FactValue) => ({ value, source: 'client' as const, name: 'x', at: null })
const VALUES: Record<string, FactValue | null> = {
  ...{ date: readDate('2026-03-06'), money: readMoney('12', 'USD'), flag: true, list: ['a', 'b'] },
}
const some = (names: readonly FactName[]): Facts =>
  Object.fromEntries(names.map((name) => [name, fact(VALUES[FACTS[name].kind] ?? `<${name}>`)]))
const render = (text: string, facts: Facts) => renderSentence(parseSentence(text), facts)
const playbook = (text: string, more: Partial<Statement> = {}) => [
  { id: 'general' as const, version: 1, asks: [], statements: [{ id: 'one', text, weight: 1 as const, ...more }] },
]
const faults = (text: string, more: Partial<Statement> = {}) => checkPlaybooks(playbook(text, more))

describe('every sentence of every playbook', () => {
  test('the check finds no fault', () => expect(checkPlaybooks(PLAYBOOKS)).toEqual([]))

  test('reads well with every subset of its optional facts', () => {
    for (const { id, text, optional = [] } of PLAYBOOKS.flatMap(({ statements }) => statements)) {
      const sentence = parseSentence(text, optional)
      for (let bits = 0; bits < 2 ** optional.length; bits += 1) {
        const chosen = optional.filter((_, index) => bits & (1 << index))
        const written = renderSentence(sentence, some([...sentence.needs, ...chosen]))
        expect(written, id).toMatch(/^\S.*\S$/s)
        expect(written, id).not.toMatch(/undefined|NaN|\{\{|\}\}|\[object| {2}|\(\)| [,.;]|\.\./)
        for (const name of [...sentence.needs, ...chosen])
          if (!VALUES[FACTS[name].kind]) expect(written, id).toContain(`<${name}>`)
      }
    }
  })

  test('has its own id', () => {
    for (const { statements } of PLAYBOOKS) expect(new Set(statements.map(({ id }) => id)).size).toBe(statements.length)
  })

  test('no playbook says "we", or what only a court or an issuer decides', () => {
    const texts = PLAYBOOKS.flatMap(({ statements }) => statements.map(({ text }) => text)).join('\n')
    expect(texts).not.toMatch(/\bwe\b|believe|clearly|fraudulent|liab|no right|must/i)
  })
})

describe('needs of a sentence', () => {
  test('are all facts in it, also in conditions, except the optional ones', () => {
    expect(parseSentence('{{ goods }}{% if orderId %} {{ orderId }}{% endif %}', ['orderId']).needs).toEqual(['goods'])
    expect(parseSentence('{% if notReturned %}{{ goods }}{% endif %}').needs).toEqual(['notReturned', 'goods'])
  })

  test.each([
    ['{{ good }}', /Unknown fact good/],
    ['{{ goods', /not closed/],
    ['{{ goods | upcase }}', /^Unknown filter upcase: use one of date, dateTime, money, list, count, last4\.$/],
    ['{{ "now" | date }}', /./],
    ['{% for a in (1..9) %}{% endfor %}', /^Unknown tag for: use one of if, unless, case, comment, raw\.$/],
    ['{% include "x" %}', /Unknown tag include/],
    ['{% assign goods = 1 %}', /Unknown tag assign/],
    ['{{ goods }} , {{ email }}', /gap/],
    ['{{ deliveryDate.day }}', /deliveryDate has no parts/],
    ['{{ deliveryDate }}', /a value that is none/],
    ['{{ goods | date }}', /a filter does not fit its fact/],
    ['{{ sharedIdentifiers }}', /a list without a filter/],
    ['x'.repeat(5_000), /limit/],
  ])('the check refuses %j', (text, why) => {
    expect(faults(text)).toContainEqual({ path: 'general.one', message: expect.stringMatching(why) })
  })

  test('the check finds every unknown filter and fact of one text', () => {
    const found = faults('{{ good | upcase }} {{ mail | upcase }} {{ goods | split: "," }}')
    expect(found.map(({ message }) => message.split(':')[0])).toEqual([
      ...['Unknown filter upcase', 'Unknown filter split', 'Unknown fact good.', 'Unknown fact mail.'],
    ])
  })

  test('the check writes the sentence with each choice of its optional facts', () => {
    const optional: FactName[] = ['orderId', 'email']
    const one = '{% if orderId %}{{ email }}{% endif %}{{ goods }}.'
    expect(faults(one, { optional })).toEqual([
      { path: 'general.one', message: 'It can’t be written without email: email is not known.' },
    ])
    const other = '{% if orderId %}Order {{ orderId }}.{% endif %}{% if email %}{{ email }}.{% endif %}'
    expect(faults(other, { optional })).toEqual([
      { path: 'general.one', message: 'It is empty without orderId, email.' },
    ])
  })

  test('the check finds an optional fact that is not in the text, and a needed file without a kind', () => {
    expect(faults('{{ goods }}.', { optional: ['email'] })[0]?.message).toMatch(/not in the text: email/)
    expect(faults('{{ goods }}.', { needsExhibit: true })[0]?.message).toMatch(/names no kind/)
  })
})

describe('facts are data', () => {
  test.each(['{{ 7 | times: 7 }}', '#eval("x")', '<script>', '{% include "x" %}', '*b* _i_', '__proto__'])(
    '%s',
    (text) => expect(render('Goods: {{ goods }}', { goods: fact(text) })).toBe(`Goods: ${text}`),
  )

  test('a missing fact is an error, never an empty text', () => {
    expect(() => render('{{ goods }}', {})).toThrow(/undefined variable/)
    expect(() => render('{{ goods.constructor }}', { goods: fact('x') })).toThrow()
  })

  test('a client’s full stop is not doubled', () =>
    expect(render('It: {{ goods }}.', { goods: fact('Shoes.') })).toBe('It: Shoes.'))
})

test('every fact has a name for clients and PSPs, or is derived from another fact', () => {
  for (const name of FACT_NAMES) expect((FACTS[name].names ?? FACTS[name].from ?? []).length, name).toBeGreaterThan(0)
})
