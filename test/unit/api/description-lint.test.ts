import { createConfig, lintFromString } from '@redocly/openapi-core'
import { expect, it } from 'vitest'
import { openApiDocument } from '../../../api/http/openapi.ts'

/** Stricter than `recommended-strict`: examples must fit their schemas, and tags need a description. */
const FURTHER = {
  'no-invalid-media-type-examples': 'error',
  'no-invalid-parameter-examples': 'error',
  'no-invalid-schema-examples': 'error',
  'no-schema-type-mismatch': 'error',
  'operation-tag-defined': 'error',
  'tag-description': 'error',
  'no-mixed-number-range-constraints': 'error',
} as const

const lint = async (document: unknown) => {
  const config = await createConfig({ extends: ['recommended-strict'], rules: FURTHER })
  const problems = await lintFromString({ source: JSON.stringify(document), config, absoluteRef: 'openapi.json' })
  return problems.map(({ ruleId, message, location }) => `${ruleId} at ${location[0]?.pointer}: ${message}`)
}

it('the linter finds no error and no warning in the OpenAPI document', async () => {
  expect(await lint(openApiDocument())).toEqual([])
})

it('the linter finds an invalid example, a missing operationId and an unresolved reference', async () => {
  const document = JSON.parse(JSON.stringify(openApiDocument()))
  document.paths['/chargebacks'].get.responses['200'].content['application/json'].example.hasMore = 'no'
  delete document.paths['/chargebacks'].get.operationId
  document.paths['/integrations'].get.responses['200'].content['application/json'].schema.items.$ref =
    '#/components/schemas/Nothing'
  const found = (await lint(document)).join('\n')
  for (const rule of ['no-invalid-media-type-examples', 'operation-operationId', 'no-unresolved-refs'])
    expect(found).toContain(rule)
})

it('no pattern has a flag, because readers of the document would take it as text', () => {
  const patterns = [...JSON.stringify(openApiDocument()).matchAll(/"pattern":"((?:[^"\\\\]|\\\\.)*)"/g)]
  expect(patterns.length).toBeGreaterThan(0)
  for (const [, pattern = ''] of patterns) expect(JSON.parse(`"${pattern}"`)).not.toMatch(/\/[a-z]+$/)
})
