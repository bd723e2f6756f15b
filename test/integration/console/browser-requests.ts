import type { createApp } from '../../../api/app.ts'

type App = ReturnType<typeof createApp>

/** What a browser sends with a request of the console's own page. */
export const OWN_PAGE = { 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'empty', 'sec-fetch-mode': 'cors' }
export const ORIGIN = 'http://127.0.0.1:8080'

export interface Reply {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: each test checks its responses
  body: any
  headers: Headers
  /** `name=value` of the cookie that was set; '' for one that was deleted; undefined for none. */
  cookie: string | undefined
}

/** A browser with one cookie, at a page of the console. */
export function browserAt(app: App, origin = ORIGIN) {
  let cookie: string | undefined
  return {
    get cookie() {
      return cookie
    },
    set cookie(value: string | undefined) {
      cookie = value
    },
    async send(
      method: string,
      path: string,
      body?: unknown,
      headers: Record<string, string> = OWN_PAGE,
    ): Promise<Reply> {
      const response = await app.request(path, {
        method,
        headers: {
          ...headers,
          ...(method !== 'GET' && headers.origin === undefined && { origin }),
          ...(cookie && { cookie }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      const isJson = response.headers.get('content-type')?.includes('json')
      const [set] = response.headers.getSetCookie()
      const given = set === undefined ? undefined : /Max-Age=0/.test(set) ? '' : set.split(';')[0]
      if (given !== undefined) cookie = given === '' ? undefined : given
      return {
        status: response.status,
        body: isJson ? JSON.parse(text) : text,
        headers: response.headers,
        cookie: given,
      }
    },
  }
}
