import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addChargeback, type Place, stageWithIntegration } from '../api/chargebacks/chargeback-rows.ts'
import type { Stage } from '../api/stage.ts'
import { browserAt, ORIGIN, OWN_PAGE } from './browser-requests.ts'

let stage: Stage
let at: Place
let browser: ReturnType<typeof browserAt>
beforeAll(async () => {
  ;({ stage, at } = await stageWithIntegration())
  browser = browserAt(stage.app)
  await browser.send('POST', '/console/session', { token: stage.token })
})
afterAll(() => stage[Symbol.asyncDispose]())

const page = (site: string, dest = 'empty', more: Record<string, string> = {}) => ({
  'sec-fetch-site': site,
  'sec-fetch-dest': dest,
  ...more,
})
/** Requests that another page can cause with the person's cookie. */
const FOREIGN: [string, Record<string, string>][] = [
  ['a fetch of another site', page('cross-site', 'empty', { origin: 'https://evil.example' })],
  ['a form of another site', page('cross-site', 'document', { origin: 'https://evil.example' })],
  ['a fetch of a sibling domain', page('same-site', 'empty', { origin: 'https://blog.example.com' })],
  ['a frame of another site', page('cross-site', 'iframe')],
  ['an image of another site', page('cross-site', 'image')],
  ['an address that was typed', page('none', 'document')],
  ['a frame of the own page', page('same-origin', 'iframe')],
  ['a script element of the own page', page('same-origin', 'script')],
  ['an old browser at another site', { origin: 'https://evil.example' }],
  ['an old browser at an opaque origin', { origin: 'null' }],
  ['no browser at all', { origin: '' }],
]

describe.each(FOREIGN)('%s', (_, headers) => {
  it('reads nothing, acts on nothing, and does not end the session', async () => {
    const id = await addChargeback(stage.db, at)
    for (const [method, path] of [
      ['GET', `/console/v1/chargebacks/${id}`],
      ['POST', `/console/v1/chargebacks/${id}/accept`],
      ['GET', '/console/session'],
      ['DELETE', '/console/session'],
      ['POST', '/console/session'],
    ] as const) {
      const body = method === 'POST' ? { token: stage.token } : undefined
      const reply = await browser.send(method, path, body, headers)
      expect([reply.status, reply.body.code], `${method} ${path}`).toEqual([403, 'cross_site_request'])
      expect(reply.cookie).toBeUndefined()
    }
    expect(await stage.db.selectFrom('command').select('command_id').where('chargeback_id', '=', id).execute()).toEqual(
      [],
    )
    expect((await browser.send('GET', '/console/session')).body.signedIn).toBe(true)
  })
})

it('the own page reads and acts', async () => {
  const id = await addChargeback(stage.db, at)
  expect((await browser.send('GET', `/console/v1/chargebacks/${id}`)).status).toBe(200)
  expect((await browser.send('POST', `/console/v1/chargebacks/${id}/accept`)).status).toBe(200)
  const old = await browser.send('GET', '/console/v1/me', undefined, { origin: ORIGIN })
  expect(old.status).toBe(200)
})

it('a list is compressed for its page, as for other clients', async () => {
  await addChargeback(stage.db, at)
  const headers = { ...OWN_PAGE, cookie: browser.cookie ?? '', 'accept-encoding': 'gzip, deflate, br' }
  const response = await stage.app.request('/console/v1/chargebacks?limit=100', { headers })
  expect(response.headers.get('content-encoding')).toBe('gzip')
  const { data } = JSON.parse(gunzipSync(await response.arrayBuffer()).toString())
  expect(data.length).toBeGreaterThan(0)
})

it('two presses with one key, and two tabs with two, request one acceptance', async () => {
  const id = await addChargeback(stage.db, at)
  const accept = (key: string) =>
    browser.send('POST', `/console/v1/chargebacks/${id}/accept`, undefined, { ...OWN_PAGE, 'idempotency-key': key })
  const replies = await Promise.all([accept('one'), accept('one'), accept('two')])
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200])
  const { rows } = { rows: await stage.db.selectFrom('command').selectAll().where('chargeback_id', '=', id).execute() }
  expect(rows).toHaveLength(1)
})

describe('shell and assets', () => {
  const open = (path: string) => browserAt(stage.app).send('GET', path, undefined, page('none', 'document'))

  it.each(['/console', '/console/queue', '/console/sign-in', '/console/chargebacks/x'])(
    '%s has no data',
    async (path) => {
      const { status, body, headers } = await open(path)
      expect(status).toBe(200)
      expect(headers.get('cache-control')).toBe('no-store')
      expect(body).not.toMatch(/<script(?![^>]* src=)|style=|\son\w+=/)
      const named = [...body.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, one]) => one)
      expect(named.filter((one) => !one?.startsWith('/console/assets/'))).toEqual(['/console/session'])
    },
  )

  it('says that nothing is at an unknown address with the same page', async () => {
    const { status, body } = await open('/console/nothing/here')
    expect(status).toBe(404)
    expect(body).toContain('<div id="console">')
    expect((await browserAt(stage.app).send('POST', '/console/nothing')).status).toBe(404)
  })

  it('serves every file of the shell for a year, by the hash of its content', async () => {
    const { body } = await open('/console/queue')
    const files = [...body.matchAll(/"(\/console\/assets\/[^"]*)"/g)].map(([, one]) => one as string)
    expect(files.length).toBeGreaterThanOrEqual(4)
    for (const file of files) {
      const { status, headers } = await open(file)
      expect(status, file).toBe(200)
      expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
      expect(headers.get('x-content-type-options')).toBe('nosniff')
    }
    expect((await open('/console/assets/manifest.json')).status).toBe(404)
    expect((await open('/console/assets/..%2f..%2fpackage.json')).status).toBe(404)
  })

  it('runs nothing inline, loads nothing from elsewhere, and is not framed', async () => {
    const { body } = await open('/console')
    const [asset = ''] = body.match(/\/console\/assets\/[^"]*\.js/) ?? []
    for (const path of ['/console', asset]) {
      const { headers } = await open(path)
      expect((headers.get('content-security-policy') ?? '').split('; '), path).toEqual([
        ...["default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' blob:"],
        ...["connect-src 'self'", 'frame-src blob:', "form-action 'none'", "base-uri 'none'", "frame-ancestors 'none'"],
        ...["require-trusted-types-for 'script'", "trusted-types 'none'", 'report-uri /console/csp', 'report-to csp'],
      ])
      expect(Object.fromEntries(headers), path).toMatchObject({
        'reporting-endpoints': 'csp="/console/csp"',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'permissions-policy': expect.stringMatching(/camera=\(\)/),
      })
    }
  })
})

describe('POST /console/csp', () => {
  const report = {
    'csp-report': { 'violated-directive': 'img-src x', 'document-uri': `${ORIGIN}/console/queue?q=jane` },
  }
  const send = (body: unknown) => browserAt(stage.app).send('POST', '/console/csp', body, page('cross-site', 'report'))

  it('counts a report by its directive, and logs no address', async () => {
    expect((await send(report)).status).toBe(204)
    expect((await send([{ body: { effectiveDirective: 'nonsense', documentURL: 'about:blank' } }])).status).toBe(204)
    const { text } = await stage.metrics.render()
    expect(text).toContain('recoup_api_console_csp_reports_total{directive="img-src"} 1')
    expect(text).toContain('recoup_api_console_csp_reports_total{directive="other"} 1')
    const line = stage.lines.find((one) => one.includes('content security policy violated'))
    expect(line).toContain('img-src')
    expect(line).not.toContain('jane')
  })

  it('refuses anything else', async () => {
    expect((await send({})).status).toBe(400)
    expect((await send({ ...report, filler: 'x'.repeat(9_000) })).status).toBe(413)
  })
})
