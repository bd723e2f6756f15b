import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkOverride } from '../../../../domain/evidence/check-override.ts'
import { composeEvidence } from '../../../../domain/evidence/compose.ts'
import { effectivePlaybook } from '../../../../domain/evidence/overrides.ts'
import { PLAYBOOKS, playbookOf } from '../../../../domain/evidence/playbooks/index.ts'
import { CHARGEBACK, client, FULL, input } from './evidence-input.ts'

const notReceived = playbookOf('not_received')
const SENTENCE = { id: 'delivered', text: 'It arrived on {{ deliveryDate | date }}.', weight: 3 }
const faults = (...statements: unknown[]) =>
  checkOverride(notReceived, { statements }).map(({ path, message }) => `${path}: ${message}`)

describe('the check of an account’s own sentences', () => {
  test('accepts sentences to replace, to add and to leave out, and every sentence of Recoup', () => {
    const added = { ...SENTENCE, id: 'ours', exhibits: ['photo'], needsExhibit: true, unless: ['returnedDate'] }
    expect(faults(SENTENCE, added, { id: 'contact', off: true })).toEqual([])
    for (const playbook of PLAYBOOKS)
      if (playbook.statements.length > 0)
        expect(checkOverride(playbook, { statements: playbook.statements })).toEqual([])
  })

  test.each<[string, unknown, string | RegExp]>([
    [
      'unknown fact',
      { ...SENTENCE, text: '{{ deliverydate | date }}' },
      'statements[0].text: Unknown fact deliverydate.',
    ],
    ['loop', { ...SENTENCE, text: '{% for a in goods %}{% endfor %}' }, /^statements\[0\]\.text: Unknown tag for: /],
    ['other tag', { ...SENTENCE, text: '{% render "x" %}' }, /^statements\[0\]\.text: Unknown tag render: /],
    [
      'unknown filter',
      { ...SENTENCE, text: '{{ goods | upcase }}' },
      /^statements\[0\]\.text: Unknown filter upcase: /,
    ],
    ['part of a fact', { ...SENTENCE, text: '{{ deliveryDate.day }}' }, /text: deliveryDate has no parts/],
    [
      'kind of file',
      { ...SENTENCE, exhibits: ['photo', 'selfie'] },
      /^statements\[0\]\.exhibits\[1\]: Unknown kind .*"selfie"/,
    ],
    ['text too long', { ...SENTENCE, text: 'x'.repeat(1001) }, 'statements[0].text: Longer than 1000 characters.'],
    ['text missing', { id: 'a', weight: 1 }, /^statements\[0\]\.text: .*expected string/],
    ['weight', { ...SENTENCE, weight: 4 }, 'statements[0].weight: Must be 1, 2 or 3.'],
    ['id', { ...SENTENCE, id: '1 x' }, /^statements\[0\]\.id: Use at most 60/],
    ['field', { ...SENTENCE, colour: 'red' }, 'statements[0].colour: Unknown field.'],
    ['optional fact', { ...SENTENCE, optional: ['mail'] }, 'statements[0].optional[0]: Unknown fact "mail".'],
    ['excluding fact', { ...SENTENCE, unless: ['mail'] }, 'statements[0].unless[0]: Unknown fact "mail".'],
    ['optional, not in the text', { ...SENTENCE, optional: ['email'] }, /text: Optional, but not in the text: email/],
    ['file without a kind', { ...SENTENCE, needsExhibit: true }, /^statements\[0\]\.needsExhibit: /],
    ['nothing to leave out', { id: 'ours', off: true }, /^statements\[0\]\.id: Recoup has no sentence/],
    ['off: false', { id: 'contact', off: false }, 'statements[0].off: Must be true, or absent.'],
    ['no object', 'delivered', /^statements\[0\]: .*expected object/],
    ['null', null, /^statements\[0\]: .*expected object/],
    ['two lines', { ...SENTENCE, text: 'One\ntwo.' }, /text: It has characters that are not printed/],
    ['direction override', { ...SENTENCE, text: 'Paid \u202e 00.21.' }, /text: It has characters that are not printed/],
    [
      'card number',
      { ...SENTENCE, text: 'Paid with 4242 4242 4242 4242.' },
      'statements[0].text: It has a card number.',
    ],
    [
      'not renderable',
      { ...SENTENCE, text: '{{ goods | money }}' },
      /text: It can’t be written: a filter does not fit/,
    ],
    ['empty', { ...SENTENCE, text: ' ' }, 'statements[0].text: It is empty.'],
  ])('refuses: %s', (_, statement, fault) => {
    expect(faults(statement)).toEqual([typeof fault === 'string' ? fault : expect.stringMatching(fault)])
  })

  test('reports all faults of all sentences at once', () => {
    const bad = { id: 'Bad', text: '{{ a | b }}{{ c }}', weight: 0, exhibits: ['selfie'], optional: ['d'] }
    expect(faults(SENTENCE, bad, SENTENCE, { id: 'ours', off: true }).map((line) => line.split(': ')[0])).toEqual([
      ...['id', 'optional[0]', 'weight', 'exhibits[0]', 'text', 'text', 'text'].map((path) => `statements[1].${path}`),
      ...['statements[2].id', 'statements[3].id'],
    ])
    expect(faults(SENTENCE, SENTENCE)).toEqual(['statements[1].id: The id comes twice.'])
  })

  test.each([
    [null, /^\./],
    [[], /^\./],
    [{}, /^statements/],
    [{ statements: [] }, /^statements: Has no sentence\.$/],
    [{ statements: [{ id: 'contact', off: true }], play: 'general' }, /^play: Unknown field\.$/],
    [
      { statements: Array.from({ length: 41 }, (_, n) => ({ ...SENTENCE, id: `a${n}` })) },
      /^statements: .*more than 40/,
    ],
  ])('refuses a body that is none: %j', (body, fault) => {
    expect(checkOverride(notReceived, body).map(({ path, message }) => `${path}: ${message}`)).toEqual([
      expect.stringMatching(fault),
    ])
  })
})

const composed = (statements: unknown[], points: Record<string, unknown> = FULL) =>
  composeEvidence(
    input({ sources: [client(points), CHARGEBACK], overrides: { not_received: { version: 7, body: { statements } } } }),
  )
const ids = (statements: readonly { id: string }[]) => statements.map(({ id }) => id)

describe('an account’s own sentences', () => {
  const own = composed([{ ...SENTENCE, id: 'ours' }, { id: 'contact', off: true }, SENTENCE])

  test('replace one in its place, come last when added, and leave one out', () => {
    const recoups = composeEvidence(input())
    expect(ids(own.statements)).toEqual([...ids(recoups.statements), 'ours'])
    const by = (id: string) => own.statements.find((one) => one.id === id)
    expect(by('delivered')).toMatchObject({
      ...{ id: 'delivered', kept: true, text: 'It arrived on 6 March 2026.', exhibits: [], own: true },
    })
    expect(by('ours')).toMatchObject({ text: 'It arrived on 6 March 2026.', own: true })
    expect(by('contact')).toMatchObject({ kept: false, why: 'left out by the account', exhibits: [] })
    expect(by('contact')).not.toHaveProperty('text')
    const rest = ({ id }: { id: string }) => !['delivered', 'ours', 'contact'].includes(id)
    expect(own.statements.filter(rest)).toEqual(recoups.statements.filter(rest))
    expect(own).toMatchObject({ completeness: recoups.completeness, requiredMissing: recoups.requiredMissing })
  })

  test('are named with both versions; Recoup’s alone has none of the account', () => {
    expect(own).toMatchObject({ playbook: { id: 'not_received', version: 6, override: 7 }, overrideFaults: [] })
    expect(own.overlays.map(({ override }) => override)).toEqual([null, null])
    expect(composeEvidence(input()).playbook.override).toBeNull()
    expect(composed([]).playbook.override).toBeNull()
  })

  test('count for their play only, and for overlays', () => {
    const body = { statements: [{ ...SENTENCE, id: 'ours' }] }
    const { statements, overlays } = composeEvidence(
      input({ overrides: { general: { version: 1, body }, refunded: { version: 2, body } } }),
    )
    expect(statements.filter((one) => one.own).map(({ id }) => id)).toEqual(['ours'])
    expect(overlays).toContainEqual({ id: 'refunded', version: 3, override: 2 })
  })

  test.each([
    ['an unknown fact', '{{ deliveredOn | date }}', /Unknown fact deliveredOn/],
    ['an unknown filter', '{{ deliveryDate | day }}', /Unknown filter day/],
    ['a tag', '{% for a in b %}{% endfor %}', /Unknown tag for/],
  ])('that are no longer valid after an upgrade leave Recoup’s: %s', (_, text, message) => {
    const { statements, overrideFaults, playbook } = composed([
      { ...SENTENCE, text },
      { ...SENTENCE, id: 'ours', text },
    ])
    expect(statements.find(({ id }) => id === 'delivered')).toEqual(
      composeEvidence(input()).statements.find(({ id }) => id === 'delivered'),
    )
    expect(ids(statements)).not.toContain('ours')
    expect(overrideFaults).toEqual([
      { path: 'not_received.delivered', message: expect.stringMatching(message) },
      { path: 'not_received.ours', message: expect.stringMatching(message) },
    ])
    expect(playbook.override).toBe(7)
  })

  test('of another shape, or without an effect any more, are reported', () => {
    const { faults: found, statements } = effectivePlaybook(notReceived, {
      version: 1,
      body: { statements: [7, { ...SENTENCE, exhibits: ['selfie'] }, { id: 'gone', off: true }] },
    })
    expect(found.map(({ path }) => path)).toEqual(['not_received.0', 'not_received.delivered', 'not_received.gone'])
    expect(statements.map(({ from }) => from)).toEqual(notReceived.statements.map(() => 'default'))
  })

  test.each([
    ['a condition that no case of the check meets', '{% if orderId == "A-1001" %}{{ email }}{% endif %}It arrived.'],
    ['nothing to say', '{% if orderId != "A-1001" %}It arrived.{% endif %}'],
  ])('that can’t be written for one chargeback leave Recoup’s: %s', (_, text) => {
    const optional = ['orderId', ...(text.includes('email') ? ['email'] : [])]
    const { transactionOrderEmail: _email, ...points } = FULL
    const { statements, overrideFaults } = composed(
      [
        { ...SENTENCE, text, optional },
        { ...SENTENCE, id: 'ours', text, optional },
      ],
      points,
    )
    expect(statements.find(({ id }) => id === 'delivered')?.text).toMatch(/^The order was delivered by DHL on 6 March/)
    expect(statements.at(-1)).toMatchObject({ id: 'ours', kept: false, why: "the account's sentence can't be written" })
    expect(overrideFaults).toEqual(
      ['not_received.delivered', 'not_received.ours'].map((path) => ({
        ...{ path, message: "It can't be written with the facts of this chargeback." },
      })),
    )
  })

  test('never make it fail, whatever is stored; the check never fails either', () => {
    const recoups = composeEvidence(input()).statements
    const entry = fc.oneof(fc.jsonValue(), fc.record({ id: fc.string(), text: fc.string(), weight: fc.constant(1) }))
    const stored = fc.oneof(fc.jsonValue(), fc.record({ statements: fc.array(entry) }))
    fc.assert(
      fc.property(stored, (body) => {
        const { statements } = composeEvidence(input({ overrides: { not_received: { version: 1, body } } }))
        expect(statements.filter((one) => !one.own && ids(recoups).includes(one.id))).toEqual(recoups)
        if (checkOverride(notReceived, body).length === 0)
          expect(statements.some((one) => one.own || one.why === 'left out by the account')).toBe(true)
      }),
    )
  })

  test('change no sentence that they do not name, whatever they are', () => {
    for (const playbook of PLAYBOOKS) {
      const { statements, override, faults: none } = effectivePlaybook(playbook, undefined)
      expect({ override, none }).toEqual({ override: null, none: [] })
      expect(statements.map(({ statement }) => statement)).toEqual(playbook.statements)
    }
  })
})
