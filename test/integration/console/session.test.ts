import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { IDLE_MS, LONGEST_MS } from '../../../db/merchants/console-sessions.ts'
import { revokeCredential, setAddresses } from '../../../db/merchants/credentials.ts'
import { rotateSigningKey } from '../../../db/merchants/signing-keys.ts'
import { createStage, type Stage } from '../api/stage.ts'
import { browserAt, OWN_PAGE } from './browser-requests.ts'

let stage: Stage
/** ms that the service's clock is ahead. */
let ahead = 0
beforeAll(async () => {
  stage = await createStage({ now: () => new Date(Date.now() + ahead), unauthenticatedLimitPerMinute: 100_000 })
})
afterAll(() => stage[Symbol.asyncDispose]())
beforeEach(() => {
  ahead = 0
})

const sessions = () => stage.db.selectFrom('console_session').selectAll().execute()

async function signedIn(token = stage.token) {
  const browser = browserAt(stage.app)
  const reply = await browser.send('POST', '/console/session', { token })
  expect(reply.status, JSON.stringify(reply.body)).toBe(201)
  return browser
}
const newToken = (more: object = {}) =>
  stage.issue({ accountId: stage.accountId, scope: 'merchant', merchantUuid: stage.merchantUuid, ...more })

describe('POST /console/session', () => {
  it('sets a cookie that no script reads; neither cookie nor token is stored or logged', async () => {
    const browser = browserAt(stage.app)
    const { headers } = await browser.send('POST', '/console/session', { token: stage.token })
    expect(headers.get('set-cookie')).toMatch(/^recoup_console=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/)
    expect(headers.get('cache-control')).toBe('no-store')
    const stored = JSON.stringify(await sessions())
    expect(stored).not.toContain(stage.token)
    expect(stored).not.toContain(browser.cookie?.split('=')[1])
    const signature = (token: string) => token.split('.')[2] as string
    const refused = `${stage.token.slice(0, -signature(stage.token).length)}${signature((await newToken()).token)}`
    expect((await browserAt(stage.app).send('POST', '/console/session', { token: refused })).status).toBe(401)
    const log = stage.lines.join('')
    expect(log).toContain('/console/session')
    for (const secret of [browser.cookie?.split('=')[1], signature(stage.token), signature(refused)])
      expect(log).not.toContain(secret)
  })

  it('gives an encrypted address a cookie of this host alone', async () => {
    const app = stage.secondApp({ publicUrl: 'https://recoup.example.com' })
    const { headers } = await browserAt(app, 'https://recoup.example.com').send('POST', '/console/session', {
      token: stage.token,
    })
    expect(headers.get('set-cookie')).toMatch(/^__Host-recoup=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Strict$/)
  })

  it('refuses an address where the cookie could be read on the way', async () => {
    const app = stage.secondApp({ publicUrl: 'http://recoup.example.com' })
    const browser = browserAt(app, 'http://recoup.example.com')
    const { status, body } = await browser.send('POST', '/console/session', { token: stage.token })
    expect({ status, code: body.code, cookie: browser.cookie }).toEqual({
      ...{ status: 403, code: 'console_needs_https', cookie: undefined },
    })
  })

  it('refuses a page at another address than RECOUP_PUBLIC_URL, and says which it is', async () => {
    const { status, body } = await browserAt(stage.app, 'https://recoup.example.com').send('POST', '/console/session', {
      token: stage.token,
    })
    expect(status).toBe(403)
    expect(body).toMatchObject({ code: 'console_elsewhere', message: expect.stringContaining('RECOUP_PUBLIC_URL') })
  })

  it('does not adopt a cookie that came with the request, and ends its session', async () => {
    const browser = await signedIn()
    const planted = browser.cookie
    await browser.send('POST', '/console/session', { token: stage.token })
    expect(browser.cookie).not.toBe(planted)
    browser.cookie = planted
    expect((await browser.send('GET', '/console/v1/me')).status).toBe(401)
  })

  it('of another person ends the pages of the former one, also in other tabs', async () => {
    const tabs = await signedIn()
    const own = (await tabs.send('GET', '/console/session')).body.me.credentialId
    const as = (credentialId: string) =>
      tabs.send('GET', '/console/v1/me', undefined, { ...OWN_PAGE, 'x-console-credential': credentialId })
    expect((await as(own)).status).toBe(200)
    const { token, credentialId } = await newToken()
    await tabs.send('POST', '/console/session', { token })
    expect((await as(own)).body).toMatchObject({ code: 'session_ended' })
    expect((await as(credentialId)).status).toBe(200)
  })

  it.each([
    [{}, 400],
    [{ token: '' }, 400],
    [{ token: 1 }, 400],
    [{ token: 'x', more: 1 }, 400],
    [{ token: 'x' }, 401],
    [{ token: 'x'.repeat(20_000) }, 413],
  ])('answers %o with %i and stores nothing', async (body, status) => {
    const before = await sessions()
    const browser = browserAt(stage.app)
    expect((await browser.send('POST', '/console/session', body)).status).toBe(status)
    expect(browser.cookie).toBeUndefined()
    expect(await sessions()).toEqual(before)
  })

  it('refuses an address that the credential may not be used from', async () => {
    const { token, credentialId } = await newToken()
    await setAddresses(stage.db, credentialId, ['203.0.113.0/24'])
    const { status, body } = await browserAt(stage.app).send('POST', '/console/session', { token })
    expect([status, body.code]).toEqual([403, 'address_not_allowed'])
  })

  it('answers the eleventh bad token of a minute with 429', async () => {
    const app = stage.secondApp()
    const statuses: number[] = []
    for (let tries = 0; tries < 11; tries++)
      statuses.push((await browserAt(app).send('POST', '/console/session', { token: 'bad' })).status)
    expect(statuses).toEqual([...Array(10).fill(401), 429])
  })
})

describe('a session', () => {
  it('sends operations as its credential, and no others', async () => {
    const browser = await signedIn()
    const { status, body } = await browser.send('GET', '/console/v1/me')
    expect(status).toBe(200)
    expect(body.data).toMatchObject({ credentialId: stage.credentialId, role: 'manage' })
    const { token } = await newToken({ role: 'read' })
    const reader = await signedIn(token)
    const refused = await reader.send('PUT', '/console/v1/integrations/x/scope-settings', {})
    expect([refused.status, refused.body.code]).toEqual([403, 'permission_missing'])
  })

  it('says who is signed in, as GET /v1/me does', async () => {
    const browser = await signedIn()
    const { body } = await browser.send('GET', '/console/session')
    expect(body.me).toEqual((await browser.send('GET', '/console/v1/me')).body.data)
    expect((await browserAt(stage.app).send('GET', '/console/session')).body).toEqual({ signedIn: false })
  })

  it('is no credential of /v1, and a token is none of /console/v1', async () => {
    const browser = await signedIn()
    expect((await browser.send('GET', '/v1/me')).body.code).toBe('missing_token')
    const withToken = { ...OWN_PAGE, authorization: `Bearer ${stage.token}` }
    expect((await browserAt(stage.app).send('GET', '/console/v1/me', undefined, withToken)).body.code).toBe(
      'session_ended',
    )
  })

  it('has the rate limit of its credential', async () => {
    const browser = await signedIn()
    const { headers } = await browser.send('GET', '/console/v1/me')
    expect(headers.get('ratelimit-limit')).toBe('100000')
    const app = stage.secondApp({ rateLimitPerMinute: 2 })
    const { token } = await newToken()
    const limited = browserAt(app)
    await limited.send('POST', '/console/session', { token })
    const statuses = [1, 2, 3].map(() => limited.send('GET', '/console/v1/me'))
    expect((await Promise.all(statuses)).map(({ status }) => status).sort()).toEqual([200, 200, 429])
  })

  it('ends by signing out, also for a copied cookie', async () => {
    const browser = await signedIn()
    const copied = browser.cookie
    expect((await browser.send('DELETE', '/console/session')).status).toBe(204)
    expect(browser.cookie).toBeUndefined()
    browser.cookie = copied
    expect((await browser.send('GET', '/console/v1/me')).status).toBe(401)
    expect((await browser.send('GET', '/console/session')).body).toEqual({ signedIn: false })
  })

  it('ends after 30 minutes without a request of its person; polls of the page do not count', async () => {
    const browser = await signedIn()
    const poll = { ...OWN_PAGE, 'x-console-background': '1' }
    ahead = IDLE_MS - 60_000
    expect((await browser.send('GET', '/console/v1/me', undefined, poll)).status).toBe(200)
    ahead = IDLE_MS + 60_000
    expect((await browser.send('GET', '/console/v1/me', undefined, poll)).body.code).toBe('session_ended')

    ahead = 0
    const used = await signedIn()
    for (let minutes = 25; minutes <= 100; minutes += 25) {
      ahead = minutes * 60_000
      expect((await used.send('GET', '/console/v1/me')).status).toBe(200)
    }
  })

  it('ends after 12 hours, however busy', async () => {
    const browser = await signedIn()
    for (ahead = 0; ahead < LONGEST_MS; ahead += 20 * 60_000)
      expect((await browser.send('GET', '/console/v1/me')).status).toBe(200)
    ahead = LONGEST_MS + 1_000
    expect((await browser.send('GET', '/console/v1/me')).status).toBe(401)
  })

  it('ends with its credential', async () => {
    const { token } = await newToken({ expiresAt: new Date(Date.now() + 60_000) })
    const browser = await signedIn(token)
    expect((await browser.send('GET', '/console/session')).body.signedIn).toBe(true)
    ahead = 61_000
    expect((await browser.send('GET', '/console/v1/me')).status).toBe(401)
  })

  it('ends with the revocation of its credential, at once', async () => {
    const { token, credentialId } = await newToken()
    const browser = await signedIn(token)
    await revokeCredential(stage.db, credentialId)
    expect((await browser.send('GET', '/console/v1/me')).status).toBe(401)
  })

  it('is refused from an address that the credential lost', async () => {
    const { token, credentialId } = await newToken()
    const browser = await signedIn(token)
    await setAddresses(stage.db, credentialId, ['203.0.113.0/24'])
    for (const path of ['/console/v1/me', '/console/session'])
      expect((await browser.send('GET', path)).body.code).toBe('address_not_allowed')
  })

  it('does not hold in another database, such as that of another environment', async () => {
    const browser = await signedIn()
    await using other = await createStage()
    const elsewhere = browserAt(other.app)
    elsewhere.cookie = browser.cookie
    expect((await elsewhere.send('GET', '/console/v1/me')).status).toBe(401)
  })

  // Last: no token of the former key signs in any more.
  it('ends with the cut-off of the key that signed its token', async () => {
    const { token } = await newToken()
    const browser = await signedIn(token)
    await rotateSigningKey(stage.db, stage.ring, { cutOff: new Date(Date.now() - 1_000) })
    expect((await browser.send('GET', '/console/v1/me')).status).toBe(401)
  })
})
