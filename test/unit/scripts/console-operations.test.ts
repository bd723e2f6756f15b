import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { consoleOperations, typeOf } from '../../../scripts/console-operations.ts'

describe('types of the operations', () => {
  test.each([
    [{ type: 'string' }, 'string'],
    [{ type: 'integer' }, 'number'],
    [{ type: ['string', 'null'] }, 'string | null'],
    [{ enum: ['a', 'b'], type: 'string' }, '"a" | "b"'],
    [{ type: 'array', items: { $ref: '#/components/schemas/Chargeback' } }, "(Schemas['Chargeback'])[]"],
    [
      { type: 'object', properties: { a: { type: 'boolean' }, b: {} }, required: ['a'] },
      '{ "a": boolean; "b"?: unknown }',
    ],
    [{ type: 'object', additionalProperties: { type: 'number' } }, 'Record<string, number>'],
    [{ type: 'object', additionalProperties: true }, 'Record<string, unknown>'],
    [{ anyOf: [{ type: 'string' }, { type: 'number' }] }, '(string) | (number)'],
    [{ allOf: [{ $ref: '#/components/schemas/A' }, { type: 'object' }] }, "(Schemas['A']) & (Record<string, unknown>)"],
    [{}, 'unknown'],
  ])('%j is %s', (schema, type) => {
    expect(typeOf(schema)).toBe(type)
  })

  test('every operation of the document has a type and a route', () => {
    const document = JSON.parse(readFileSync('docs/openapi.json', 'utf8'))
    const text = consoleOperations(document)
    const described = Object.entries(document.paths as Record<string, Record<string, { operationId: string }>>)
    for (const [path, methods] of described)
      for (const [method, { operationId }] of Object.entries(methods))
        expect(text).toContain(`  ${operationId}: ['${method.toUpperCase()}', '${path}'],`)
    expect(text).toBe(readFileSync('console/api/operations.ts', 'utf8'))
  })

  test('a change of the document changes the types', () => {
    const document = JSON.parse(readFileSync('docs/openapi.json', 'utf8'))
    document.components.schemas.Chargeback.properties.neverThere = { type: 'boolean' }
    expect(consoleOperations(document)).toContain('"neverThere"?: boolean')
  })
})
