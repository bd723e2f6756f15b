import { gzipSync } from 'node:zlib'
import type { Fault, FaultKind } from '../../../simulators/engine/faults.ts'
import type { Passing, Prank } from './door.ts'

/** What happens between a worker and a PSP while it lists its disputes. */
export interface PspFault {
  title: string
  /** Requests that it strikes. */
  times: number
  /** By the simulator, in the PSP's own words; or by the door in front of it. */
  simulator?: { kind: FaultKind; retryAfter?: () => string; delayMs?: number }
  door?: Omit<Prank, 'left' | 'concerns'>
  /** Milliseconds in which nobody may ask the PSP again, counted from the answer. */
  silence?: (fault: Fault | null) => number
  /** Asked for longer than anybody waits: the test lets the hour pass. */
  hour?: true
  /** Something happens to the disputes before the second page: these many pages are there. */
  between?: 'gone' | 'shifted'
}

const SECOND = 1_000
const DAY = 86_400_000
const GIGABYTE = 1_000_000_000
/** Made when it is asked for: a megabyte that unpacks to a thousand. */
const bomb = () => gzipSync(Buffer.alloc(GIGABYTE / 4), { level: 9 })
const padded = (body: Buffer) => Buffer.concat([body, Buffer.alloc(10_000_000, ' ')])
const inThreeSeconds = () => new Date(Math.ceil(Date.now() / SECOND) * SECOND + 3 * SECOND).toUTCString()

const dated =
  (byMs: number) =>
  (answer: Passing): Passing => ({
    ...answer,
    headers: { ...answer.headers, date: new Date(Date.now() + byMs).toUTCString() },
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
  '401': simple('401', '401 in the middle of a run: the key is revoked, and taken again later', 1),
  '403': simple('403', '403 in the middle of a run: a right is gone, and there again later', 1),
  '409': simple('409', '409: something else is at work'),
  '500': simple('500', '500'),
  '502_html': simple('502_html', 'a storm of 502', 5),
  '503_empty': simple('503_empty', 'a storm of 503', 5),
  reset: simple('reset', 'the connection is reset'),
  truncated: simple('truncated', 'the answer breaks off'),
  malformed: simple('malformed', 'invalid JSON'),
  empty: simple('empty', 'an empty answer'),
  unlabelled: simple('unlabelled', 'the wrong content type'),
  '200_html': simple('200_html', 'HTML with 200'),
  redirect: simple('redirect', 'a redirect to an internal address'),
  repeated_item: simple('repeated_item', 'the same id twice in a page'),
  endless_pages: simple('endless_pages', 'has_more for ever, the cursor in a loop', 4),
  empty_page: simple('empty_page', 'an empty page with more behind it'),
  timeout: simple('timeout', 'no answer', 1),
  slow: { title: 'a second late', times: 2, simulator: { kind: 'slow', delayMs: SECOND } },
  trickle: { title: 'one byte a second', times: 1, simulator: { kind: 'trickle', delayMs: SECOND } },
  gone: { title: 'an item vanishes between pages', times: 1, between: 'gone' },
  shifted: { title: 'an item on two pages', times: 1, between: 'shifted' },
  page_10mb: {
    ...{ title: 'a page of 10 MB', times: 1 },
    door: { change: (answer) => ({ ...answer, body: padded(answer.body) }) },
  },
  gzip_bomb: {
    ...{ title: 'a gzip bomb', times: 1 },
    door: {
      change: ({ headers, status }) => ({ status, headers: { ...headers, 'content-encoding': 'gzip' }, body: bomb() }),
    },
  },
  clock_ahead: { title: 'a clock header a day ahead', times: 3, door: { change: dated(DAY) } },
  clock_behind: { title: 'a clock header a day behind', times: 3, door: { change: dated(-DAY) } },
  tls_alert: {
    // An alert 40: the handshake failed.
    ...{ title: 'a TLS failure in the place of HTTP', times: 2, door: { bytes: Buffer.from('15030300020228', 'hex') } },
  },
}
