import { describe, expect, test } from 'vitest'
import { openBench } from '../../../adapters/conformance/bench.ts'
import { SUBJECTS } from '../../../adapters/conformance/subjects.ts'
import type { Translation } from '../../../adapters/contract.ts'
import { isAbout, person, redact } from '../../../domain/redaction.ts'

const jane = person({ email: 'Jane.Doe@example.com', firstName: 'Jane', lastName: "O'Döe" })
const about = (object: unknown) => isAbout(JSON.stringify(object), jane)

describe('whether an object is about the person', () => {
  test.each([
    ['the address alone', { email: 'JANE.DOE@example.com' }, true],
    ['the address in prose', { note: 'write to jane.doe@example.com!' }, true],
    ['another address', { email: 'mary.jane.doe@example.com', name: "Jane O'Doe" }, false],
    ['the address and both names', { email: 'jane.doe@example.com', customer: { name: "O'DOE, jane M." } }, true],
    ['names in two members', { email: 'jane.doe@example.com', firstName: 'Jane', lastName: 'o doe' }, true],
    [
      'a payer and a recipient',
      { email: 'jane.doe@example.com', payer: { name: 'Bo Ek' }, shipping: { name: 'Jane ODoe Jane O Doe' } },
      true,
    ],
    [
      'the address with the name of another person',
      { email: 'jane.doe@example.com', cardholderName: 'John Smith' },
      false,
    ],
    [
      'the address next to another name in one place',
      { receipt: 'jane.doe@example.com', card: { email: 'jane.doe@example.com', name: 'Bo Ek' } },
      false,
    ],
    [
      'the address without a name, and another person elsewhere',
      { evidence: { email: 'jane.doe@example.com' }, charge: { email: 'b@x.org', name: 'Bo Ek' } },
      true,
    ],
    [
      'a name in parts',
      { payer: { email_address: 'jane.doe@example.com', name: { given_name: 'Jane', surname: 'O’Doe' } } },
      true,
    ],
    ['a product’s name', { email: 'jane.doe@example.com', items: [{ name: 'Lamp' }] }, true],
    ['the names without the address', { firstName: 'Jane', lastName: "O'Doe" }, false],
  ])('%s', (_, object, expected) => {
    expect(about(object)).toBe(expected)
  })
})

describe('redaction', () => {
  test('removes data about the person and leaves the rest byte by byte', () => {
    const text =
      '{"amount":12345678901234567890, "billing_details":{"email":"x@y.org","address":{"country":"US","line1":"1 St"}},' +
      '"checks":{"address_line1_check":"pass"},"note":"Dear Jane, thanks","reason":"fraud","tags":["jane.doe@example.com","b"],' +
      '"inner":"{\\"ip\\":\\"203.0.113.4\\",\\"id\\":\\"7\\"}","jane.doe@example.com":1}'
    expect(redact(text, jane)).toBe(
      '{"amount":12345678901234567890, "billing_details":{"email":null,"address":{"country":"US","line1":null}},' +
        '"checks":{"address_line1_check":"pass"},"note":null,"reason":"fraud","tags":[null,"b"],' +
        '"inner":"{\\"ip\\":null,\\"id\\":\\"7\\"}","[erased]":1}',
    )
  })

  test('a name that is also a word of the PSP stays in fields that contain such words', () => {
    const won = person({ email: 'a@b.org', firstName: 'Visa', lastName: 'Won' })
    expect(redact('{"status":"won","network":"visa","note":"Won by Visa"}', won)).toBe(
      '{"status":"won","network":"visa","note":null}',
    )
  })

  test('text that is not JSON is removed entirely', () => {
    expect(redact('<xml><email>jane.doe@example.com</email></xml>', jane)).toBe('')
  })

  test('redacting again changes nothing', () => {
    const once = redact('{"email":"jane.doe@example.com","id":"1"}', jane)
    expect(redact(once, jane)).toBe(once)
  })
})

/** The facts without two that are free text: the kit plants its person there if an object has no other place. */
const skeleton = (translation: Translation) =>
  translation.kind === 'chargeback'
    ? { ...translation.facts, externalTransactionIdentifier: null, reason: null }
    : translation

describe.each(SUBJECTS.map((subject) => [subject.definition.source, subject] as const))(
  'data of %s without the person',
  (_, subject) => {
    const { definition } = subject

    test('is the same chargeback and the same transaction, without personal data', async () => {
      await using bench = await openBench(subject)
      const [reference = ''] = await bench.create({ count: 1, status: 'needs_response', stage: 'chargeback' })
      const object = bench.objectOf(reference)
      subject.plantPerson(object, 'jane.doe@example.com')
      await bench.control('PATCH', `/disputes/${reference}`, { fields: object })
      const adapter = bench.connect()
      const dispute = await adapter.fetchDispute(reference)
      expect(dispute.text).toContain('jane.doe@example.com')
      const left = redact(dispute.text, jane)
      expect(left).not.toContain('jane.doe')
      expect(skeleton(definition.toChargeback({ reference, text: left }))).toEqual(
        skeleton(definition.toChargeback(dispute)),
      )

      const context = await adapter.fetchContext?.(dispute)
      const facts = context && definition.toTransaction?.(context)
      if (!context || !facts) return
      const { dataPoints, ...rest } =
        definition.toTransaction?.({ ...context, text: redact(context.text, jane) }) ?? facts
      const { dataPoints: before, ...same } = facts
      expect(rest).toEqual(same)
      expect(Object.keys(before)).toEqual(expect.arrayContaining(Object.keys(dataPoints)))
      expect(
        Object.keys(dataPoints).filter((name) => /Email|Phone|IpAddress|Line\d|ZipCode|Fingerprint/.test(name)),
      ).toEqual([])
    })
  },
)
