import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openApiDocument } from '../../../../api/http/openapi.ts'
import { operatorsApp } from '../../../../api/http/probes.ts'
import { LIFECYCLE_STAGES, PSP_STATUSES, PSPS, STATUSES } from '../../../../domain/chargeback.ts'
import { undescribed } from '../../../interface/descriptions.ts'
import { createStage, type Stage } from '../stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await createStage()
})
afterAll(() => stage[Symbol.asyncDispose]())

type Headers = Record<string, { schema: { type: string } }>
interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  schema: {
    type?: string
    enum?: string[]
    items?: { enum?: string[] }
    minimum?: number
    maximum?: number
    default?: number
  }
}
interface Operation {
  operationId: string
  summary: string
  security?: object[]
  parameters?: Parameter[]
  requestBody?: { required: boolean; content: Record<string, { schema: unknown }> }
  responses: Record<
    string,
    { description: string; headers?: object; content?: Record<string, { schema: unknown; example: unknown }> }
  >
}
const document = JSON.parse(JSON.stringify(openApiDocument())) as {
  openapi: string
  info: { title: string; version: string }
  servers: { url: string }[]
  security: object[]
  paths: Record<string, Record<string, Operation>>
  components: {
    schemas: Record<string, { properties: Record<string, { enum?: string[] }>; required: string[] }>
    securitySchemes: Record<string, unknown>
  }
}
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, path, operation })),
)

describe('/v1/openapi.json', () => {
  it('is public, and equals the document that the code defines', async () => {
    const response = await stage.call('GET', '/v1/openapi.json', { token: '' })
    expect(response.status).toBe(200)
    expect(response.body).toEqual(document)
  })

  it('is the document in docs/', () => {
    expect(JSON.parse(readFileSync('docs/openapi.json', 'utf8'))).toEqual(document)
  })

  it('is OpenAPI 3.1 of version 1.0.0, with a bearer token everywhere', () => {
    expect(document).toMatchObject({
      openapi: '3.1.0',
      info: { version: '1.0.0' },
      servers: [{ url: '/v1' }],
      security: [{ bearer: [] }],
      components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
    })
  })

  it('describes exactly the operations that exist', () => {
    const served = stage.app.routes
      .filter(({ method, path }) => method !== 'ALL' && path.startsWith('/v1/') && path !== '/v1/openapi.json')
      .map(({ method, path }) => `${method} ${path.slice(3).replace(/:(\w+)/g, '{$1}')}`)
    expect(new Set(served)).toEqual(new Set(operations.map((one) => one.name)))
  })

  it('resolves every reference, and has unique operation ids', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(
      ([, name]) => name ?? '',
    )
    for (const name of references) expect(document.components.schemas).toHaveProperty(name)
    const ids = operations.map((one) => one.operation.operationId)
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('needs a token everywhere except for notifications of a PSP', () => {
    const open = operations.filter(({ operation }) => operation.security?.length === 0)
    expect(open.map(({ name }) => name)).toEqual([
      'POST /notifications/{integrationId}',
      'GET /notifications/{integrationId}',
    ])
    for (const { operation } of open) {
      expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(['200', '401', '429', '500', '503']))
      expect(operation.parameters?.find((one) => one.name === 'reference-account-id')).toBeUndefined()
    }
  })

  describe.each(operations.filter(({ operation }) => !operation.security))('$name', ({ name, path, operation }) => {
    it('declares its path parameters, and the reference header unless it is account-level', () => {
      const parameters = operation.parameters ?? []
      const inPath = parameters.filter((one) => one.in === 'path').map((one) => one.name)
      expect(inPath).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter))
      const ofAccount = path === '/me' || (path.startsWith('/merchants') && !name.startsWith('DELETE'))
      const selector = parameters.find((one) => one.name === 'reference-account-id')
      expect(selector?.in).toBe(ofAccount ? undefined : 'header')
      const changes = !name.startsWith('GET')
      expect(parameters.some((one) => one.name === 'idempotency-key')).toBe(changes)
    })

    it('declares every status with body, example and headers', () => {
      for (const status of ['400', '401', '403', '404', '413', '429', '500', '503'])
        expect(operation.responses).toHaveProperty(status)
      for (const [status, response] of Object.entries(operation.responses)) {
        expect(response.description).not.toBe('')
        if (status === '304') continue
        const empty = name.startsWith('DELETE') && status === '200'
        if (empty) expect(response.content).toBeUndefined()
        else if (name === 'GET /chargebacks/export' && status === '200')
          expect(Object.keys(response.content ?? {})).toEqual(['text/csv', 'application/x-ndjson'])
        else if (name === 'GET /files/{id}/content' && status === '200')
          expect(Object.keys(response.content ?? {})).toEqual(['application/pdf', 'image/png', 'image/jpeg'])
        else expect(response.content?.['application/json']).toMatchObject({ schema: {}, example: {} })
        expect(Object.keys(response.headers ?? {})).toEqual(
          expect.arrayContaining(['X-Request-Id', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset']),
        )
      }
    })
  })

  it('gives GET /chargebacks its twelve parameters with their bounds and values, and the additional ones', () => {
    const parameters = document.paths['/chargebacks']?.get?.parameters?.filter((one) => one.in === 'query') ?? []
    expect(parameters.map((one) => one.name)).toEqual([
      'limit',
      'page',
      'startDate',
      'endDate',
      'dueAfter',
      'dueBefore',
      'chargebackId',
      'psp',
      'pspStatus',
      'status',
      ...['lifecycleStage', 'reasonGroup', 'currency', 'minAmount', 'maxAmount', 'inScope', 'recommendation', 'search'],
      'minEnrichmentScore',
      'maxEnrichmentScore',
      'pspStatusChangeStartDate',
      'pspStatusChangeEndDate',
      'sort',
      'expand',
      'cursor',
    ])
    expect(parameters.every((one) => !one.required)).toBe(true)
    const schema = (name: string) => parameters.find((one) => one.name === name)?.schema
    expect(schema('limit')).toMatchObject({ type: 'integer', minimum: 10, maximum: 100, default: 10 })
    expect(schema('page')).toMatchObject({ type: 'integer', minimum: 1, default: 1 })
    expect(schema('psp')?.items?.enum).toEqual([...PSPS])
    expect(schema('pspStatus')?.items?.enum).toEqual([...PSP_STATUSES])
    expect(schema('status')?.items?.enum).toEqual([...STATUSES])
    expect(schema('minEnrichmentScore')).toMatchObject({ type: 'number', minimum: 0, maximum: 1 })
  })

  it('gives a chargeback its 29 fields, of which three are required', () => {
    const { properties, required } = document.components.schemas.Chargeback ?? { properties: {}, required: [] }
    expect(Object.keys(properties)).toHaveLength(29)
    expect(required).toEqual(['id', 'chargebackId', 'referenceAccountId'])
    expect(properties.lifecycleStage?.enum).toEqual([...LIFECYCLE_STAGES])
  })

  it('describes every property, parameter and header', () => {
    expect(undescribed(document)).toEqual([])
  })

  it('bounds every page, and gives every text header of a request or response its pattern', () => {
    const parameters = operations.flatMap(({ operation }) => operation.parameters ?? [])
    const pages = parameters.filter(({ name }) => name === 'page')
    expect(pages.length).toBeGreaterThan(3)
    for (const { schema } of pages) expect(schema).toMatchObject({ minimum: 1, maximum: 999_999_999_999_999 })
    const headers = [
      ...parameters.filter((one) => one.in === 'header'),
      ...operations.flatMap(({ operation }) =>
        Object.values(operation.responses).flatMap(({ headers = {} }) => Object.values(headers as Headers)),
      ),
    ]
    for (const { schema } of headers)
      expect(schema).toMatchObject(
        schema.type === 'string' ? { pattern: expect.stringMatching(/^\^.*\$$/) } : { minimum: 0 },
      )
  })

  it('holds no secret and no internal name', () => {
    expect(JSON.stringify(document)).not.toMatch(/rk_test|sk_test|_sealed|127\.0\.0\.1|localhost/)
  })
})

describe('/docs', () => {
  it('loads nothing from another origin, and forbids it', async () => {
    const page = await stage.call('GET', '/docs', { token: '' })
    expect(page.status).toBe(200)
    expect(page.headers.get('content-type')).toContain('text/html')
    expect(page.headers.get('content-security-policy')).toMatch(/default-src 'none'.*connect-src 'self'/)
    const sources = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, source]) => source ?? '')
    expect(sources).toHaveLength(4)
    for (const source of sources) {
      expect(source).toMatch(/^\/docs\//)
      const file = await stage.call('GET', source, { token: '' })
      expect(file.status, source).toBe(200)
      expect(file.text.length).toBeGreaterThan(50)
    }
    const start = await stage.call('GET', '/docs/start.js', { token: '' })
    expect(start.text + page.text).not.toMatch(/https?:|\/\/[a-z]/)
    expect(start.text).toContain('validatorUrl: null')
  })
})

describe('/metrics', () => {
  it('counts by route template, never by an id or a tenant', async () => {
    await stage.call('GET', '/v1/chargebacks/0198c5a4-6c1e-7d60-9a55-2f4b1f6f7d10')
    await stage.call('GET', '/v1/no/such/path')
    const text = await (await operatorsApp(stage.deps, stage.metrics).request('/metrics')).text()
    expect(text).toMatch(/recoup_api_requests_total\{method="GET",route="\/v1\/chargebacks\/\{id\}",status="404"\} \d/)
    expect(text).toMatch(/recoup_api_refusals_total\{code="chargeback_not_found"\} \d/)
    expect(text).toMatch(/route="unknown",status="404"/)
    expect(text).toMatch(/recoup_api_request_duration_seconds_bucket/)
    expect(text).toMatch(/recoup_api_database_connections\{state="total"\} \d/)
    expect(text).not.toMatch(/0198c5a4|such/)
    expect(text).not.toContain(stage.merchantUuid)
  })
})

describe('/health and /ready', () => {
  it('need no token', async () => {
    expect(await stage.call('GET', '/health', { token: '' })).toMatchObject({ status: 200, body: { status: 'ok' } })
    expect(await stage.call('GET', '/ready', { token: '' })).toMatchObject({ status: 200, body: { status: 'ready' } })
  })
})
