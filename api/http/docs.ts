import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { Hono } from 'hono'
import type { ApiEnv } from '../context.ts'

const require = createRequire(import.meta.url)
const folder = dirname(require.resolve('swagger-ui-dist/package.json'))

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Recoup API</title>
    <link rel="stylesheet" href="/docs/swagger-ui.css">
    <link rel="icon" href="/docs/favicon-32x32.png">
  </head>
  <body>
    <div id="reference"></div>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`
/**
 * validatorUrl: otherwise the page sends the document to a public validator. Examples of optional fields are removed,
 * because the page would fill them in and narrow the query.
 */
const START = `const withoutFillings = (text) => {
  const description = JSON.parse(text)
  for (const path of Object.values(description.paths))
    for (const operation of Object.values(path))
      for (const parameter of operation.parameters ?? []) if (!parameter.required) delete parameter.schema.example
  return JSON.stringify(description)
}
SwaggerUIBundle({
  url: '/v1/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  tryItOutEnabled: true,
  validatorUrl: null,
  responseInterceptor: (response) =>
    response.url.endsWith('/v1/openapi.json') ? { ...response, text: withoutFillings(response.text) } : response,
})
`
const CONTENT_SECURITY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

const FILES = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
} as const

/** The API reference page; all its files come from this process. */
export function docs(): Hono<ApiEnv> {
  const app = new Hono<ApiEnv>()
  app.get('/docs', (c) => c.html(PAGE, 200, { 'content-security-policy': CONTENT_SECURITY }))
  app.get('/docs/start.js', (c) => c.body(START, 200, { 'content-type': 'text/javascript; charset=utf-8' }))
  for (const [name, type] of Object.entries(FILES)) {
    let content: Uint8Array<ArrayBuffer> | undefined
    app.get(`/docs/${name}`, (c) => {
      content ??= new Uint8Array(readFileSync(join(folder, name)))
      return c.body(content, 200, { 'content-type': type, 'cache-control': 'public, max-age=86400' })
    })
  }
  return app
}
