import { h, render } from 'preact'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { cache } from '../../../console/api/use-read.ts'
import { usePacedRead } from '../../../console/chargeback/use-paced-read.ts'

let status: string
/** Seconds since the read before, and at the first one. */
let waits: number[]
let readAt: number
beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('window', new EventTarget())
  vi.stubGlobal('document', { visibilityState: 'visible' })
  status = 'created'
  waits = []
  readAt = Date.now()
  vi.stubGlobal('fetch', async () => {
    // An effect comes a few ms after what it follows.
    waits.push(Math.floor((Date.now() - readAt) / 1_000))
    readAt = Date.now()
    return Response.json({ status })
  })
})
afterEach(() => {
  render(null, PAGE)
  cache.forget()
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

/** In place of a page's element: Preact needs no more for a component that renders nothing. */
const PAGE = { childNodes: [], firstChild: null } as unknown as Parameters<typeof render>[1]

const show = (id: string) =>
  render(
    h(() => {
      usePacedRead('readAcceptance', { params: { id } }, (acceptance) => acceptance.status === 'succeeded')
      return null
    }, {}),
    PAGE,
  )
const pass = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1_000)

test('a status is read after 1, 1, 2, 5, 10 and then each 30 seconds, until the outcome is there', async () => {
  show('paced a')
  await pass(111)
  expect(waits).toEqual([0, 1, 1, 2, 5, 10, 30, 30, 30])
  status = 'succeeded'
  await pass(30)
  expect(waits).toHaveLength(10)
  await pass(300)
  expect(waits).toHaveLength(10)
})

test('nothing is read while the page is hidden', async () => {
  show('paced b')
  await pass(3)
  const before = waits.length
  vi.stubGlobal('document', { visibilityState: 'hidden' })
  await pass(60)
  expect(waits).toHaveLength(before)
  vi.stubGlobal('document', { visibilityState: 'visible' })
  await pass(31)
  expect(waits.length).toBeGreaterThan(before)
})
