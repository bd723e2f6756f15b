import { createConfig, lintFromString } from '@redocly/openapi-core'
import { expect, it } from 'vitest'
import { openApiDocument } from '../../../api/http/openapi.ts'

/** Beyond the strict recommendation: examples fit their schemas, parameters and answers; tags say what they are. */
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

it('the linter finds no error and no warning in the description of the interface', async () => {
  expect(await lint(openApiDocument())).toEqual([])
})

it('the linter would find a wrong example, a missing operationId and a reference to nothing', async () => {
  const document = JSON.parse(JSON.stringify(openApiDocument()))
  document.paths['/chargebacks'].get.responses['200'].content['application/json'].example.hasMore = 'no'
  delete document.paths['/chargebacks'].get.operationId
  document.paths['/integrations'].get.responses['200'].content['application/json'].schema.items.$ref =
    '#/components/schemas/Nothing'
  const found = (await lint(document)).join('\n')
  for (const rule of ['no-invalid-media-type-examples', 'operation-operationId', 'no-unresolved-refs'])
    expect(found).toContain(rule)
})

it('no pattern carries a flag: a reader of the description would take it as text', () => {
  const patterns = [...JSON.stringify(openApiDocument()).matchAll(/"pattern":"((?:[^"\\\\]|\\\\.)*)"/g)]
  expect(patterns.length).toBeGreaterThan(0)
  for (const [, pattern = ''] of patterns) expect(JSON.parse(`"${pattern}"`)).not.toMatch(/\/[a-z]+$/)
})
