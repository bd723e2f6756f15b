import { gzipSync } from 'node:zlib'
import type { Fault, FaultKind } from '../../../simulators/engine/faults.ts'
import type { ProxyFault, PspResponse } from './fault-proxy.ts'

/** A fault between worker and PSP while disputes are listed. */
export interface PspFault {
  title: string
  /** Number of requests that it hits. */
  times: number
  /** Injected by the simulator, in the PSP's own format; or by the proxy in front of it. */
  simulator?: { kind: FaultKind; retryAfter?: () => string; delayMs?: number }
  door?: Omit<ProxyFault, 'left' | 'concerns'>
  /** Milliseconds after the response in which the PSP may not be called again. */
  silence?: (fault: Fault | null) => number
  /** Retry-After is longer than Recoup's limit of an hour: the test lets the hour pass. */
  hour?: true
  /** A change of the disputes before the second page is read. */
  between?: 'gone' | 'shifted'
}

const SECOND = 1_000
const DAY = 86_400_000
const GIGABYTE = 1_000_000_000
/** Made on demand: about 250 KB that unpack to 250 MB. */
const bomb = () => gzipSync(Buffer.alloc(GIGABYTE / 4), { level: 9 })
const padded = (body: Buffer) => Buffer.concat([body, Buffer.alloc(10_000_000, ' ')])
const inThreeSeconds = () => new Date(Math.ceil(Date.now() / SECOND) * SECOND + 3 * SECOND).toUTCString()

const dated =
  (byMs: number) =>
  (response: PspResponse): PspResponse => ({
    ...response,
    headers: { ...response.headers, date: new Date(Date.now() + byMs).toUTCString() },
  })

const simple = (kind: FaultKind, title: string, times = 2): PspFault => ({ title, times, simulator: { kind } })

export const PSP_FAULTS: Readonly<Record<string, PspFault>> = {
  '429': {
    ...{ title: '429, Retry-After in seconds', times: 1, simulator: { kind: '429', retryAfter: () => '2' } },
    silence: () => 2 * SECOND,
  },
  '429_date': {
    ...{ title: '429, Retry-After as a date', times: 1, simulator: { kind: '429', retryAfter: inThreeSeconds } },
    silence: (fault) => Date.parse(fault?.retryAfter ?? '') - Date.now(),
  },
  '429_silent': { ...simple('429', '429 without Retry-After', 1), silence: () => SECOND * 0.9 },
  '429_absurd': {
    ...{ title: '429, Retry-After of ten hours', times: 1, simulator: { kind: '429', retryAfter: () => '36000' } },
    silence: () => 3 * SECOND,
    hour: true,
  },
  '401': simple('401', '401 in the middle of a run: the key is revoked, and accepted again later', 1),
  '403': simple('403', '403 in the middle of a run: a permission is missing, and granted again later', 1),
  '409': simple('409', '409: a conflicting request'),
  '500': simple('500', '500'),
  '502_html': simple('502_html', 'a storm of 502', 5),
  '503_empty': simple('503_empty', 'a storm of 503', 5),
  reset: simple('reset', 'the connection is reset'),
  truncated: simple('truncated', 'a truncated response'),
  malformed: simple('malformed', 'invalid JSON'),
  empty: simple('empty', 'an empty response'),
  unlabelled: simple('unlabelled', 'the wrong content type'),
  '200_html': simple('200_html', 'HTML with 200'),
  redirect: simple('redirect', 'a redirect to an internal address'),
  repeated_item: simple('repeated_item', 'the same id twice in a page'),
  endless_pages: simple('endless_pages', 'has_more for ever, the cursor in a loop', 4),
  empty_page: simple('empty_page', 'an empty page with more after it'),
  timeout: simple('timeout', 'no response', 1),
  slow: { title: 'a response one second late', times: 2, simulator: { kind: 'slow', delayMs: SECOND } },
  trickle: { title: 'one byte a second', times: 1, simulator: { kind: 'trickle', delayMs: SECOND } },
  gone: { title: 'an item vanishes between pages', times: 1, between: 'gone' },
  shifted: { title: 'an item on two pages', times: 1, between: 'shifted' },
  page_10mb: {
    ...{ title: 'a page of 10 MB', times: 1 },
    door: { change: (response) => ({ ...response, body: padded(response.body) }) },
  },
  gzip_bomb: {
    ...{ title: 'a gzip bomb', times: 1 },
    door: {
      change: ({ headers, status }) => ({ status, headers: { ...headers, 'content-encoding': 'gzip' }, body: bomb() }),
    },
  },
  clock_ahead: { title: 'a Date header a day ahead', times: 3, door: { change: dated(DAY) } },
  clock_behind: { title: 'a Date header a day behind', times: 3, door: { change: dated(-DAY) } },
  tls_alert: {
    // An alert 40: the handshake failed.
    ...{ title: 'a TLS alert instead of HTTP', times: 2, door: { bytes: Buffer.from('15030300020228', 'hex') } },
  },
}
