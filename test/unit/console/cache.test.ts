import { expect, test } from 'vitest'
import { createCache } from '../../../console/api/cache.ts'

/** A read whose answers the test gives. */
function reads() {
  const open: { resolve: (value: string) => void; reject: (error: Error) => void; signal: AbortSignal }[] = []
  const load = (signal: AbortSignal) =>
    new Promise<string>((resolve, reject) => {
      open.push({ resolve, reject, signal })
    })
  return { open, load }
}
const settled = () => new Promise((resolve) => setImmediate(resolve))
const at = (open: ReturnType<typeof reads>['open'], index: number) => {
  const one = open[index]
  if (!one) throw new Error(`there was no request ${index}`)
  return one
}

test('two users of one key cause one request, and both hear of its answer', async () => {
  const cache = createCache()
  const { open, load } = reads()
  const heard: string[] = []
  cache.use('a', load, () => heard.push('first'))
  cache.use('a', load, () => heard.push('second'))
  expect(open).toHaveLength(1)
  at(open, 0).resolve('answer')
  await settled()
  expect(heard).toEqual(['first', 'second'])
  expect(cache.reading('a')).toMatchObject({ data: 'answer', loading: false })
})

test('what is asked ahead is asked once, and heard by who uses it then', async () => {
  const cache = createCache()
  const { open, load } = reads()
  const finished = cache.ahead('a', load)
  let heard = 0
  cache.use('a', load, () => heard++)
  at(open, 0).resolve('answer')
  await finished
  expect([open.length, heard, cache.reading('a')?.data]).toEqual([1, 1, 'answer'])
})

test('data of the last 15 s is not read again', async () => {
  let now = 0
  const cache = createCache(() => now)
  const { open, load } = reads()
  cache.use('a', load, () => {})()
  cache.use('a', load, () => {})
  at(open, 1).resolve('answer')
  await settled()
  now = 15_000
  cache.use('a', load, () => {})
  expect(open).toHaveLength(2)
  now = 15_001
  cache.use('a', load, () => {})
  expect(open).toHaveLength(3)
})

test('an answer that a newer request has overtaken is dropped', async () => {
  const cache = createCache()
  const { open, load } = reads()
  cache.use('a', load, () => {})
  void cache.refresh('a')
  expect(at(open, 0).signal.aborted).toBe(true)
  at(open, 1).resolve('new')
  at(open, 0).resolve('old')
  await settled()
  expect(cache.reading('a')?.data).toBe('new')
})

test('a request that nobody waits for is aborted', () => {
  const cache = createCache()
  const { open, load } = reads()
  const leave = cache.use('a', load, () => {})
  const leaveToo = cache.use('a', load, () => {})
  leave()
  expect(at(open, 0).signal.aborted).toBe(false)
  leaveToo()
  expect(at(open, 0).signal.aborted).toBe(true)
})

test('a failure leaves the data in place, and the next answer removes it', async () => {
  const cache = createCache()
  const { open, load } = reads()
  cache.use('a', load, () => {})
  at(open, 0).resolve('answer')
  await settled()
  void cache.refresh('a')
  at(open, 1).reject(new Error('away'))
  await settled()
  expect(cache.reading('a')).toMatchObject({ data: 'answer', failure: new Error('away') })
  void cache.refresh('a')
  at(open, 2).resolve('again')
  await settled()
  expect(cache.reading('a')).toMatchObject({ data: 'again', failure: undefined })
})

test('an act has what is in use read again, and the rest forgotten', async () => {
  const cache = createCache()
  const [used, unused, other] = [reads(), reads(), reads()]
  cache.use('case 1', used.load, () => {})
  cache.use('case 1 more', unused.load, () => {})()
  cache.use('list', other.load, () => {})
  at(used.open, 0).resolve('before')
  await settled()
  const done = cache.invalidate('case 1')
  at(used.open, 1).resolve('after')
  await done
  expect(cache.reading('case 1')?.data).toBe('after')
  expect(cache.reading('case 1 more')).toBeUndefined()
  expect(other.open).toHaveLength(1)
})

test('the end of a session leaves nothing', async () => {
  const cache = createCache()
  const { open, load } = reads()
  cache.use('a', load, () => {})
  cache.forget()
  at(open, 0).resolve('late')
  await settled()
  expect(cache.reading('a')).toBeUndefined()
  expect(at(open, 0).signal.aborted).toBe(true)
})

test('what was deleted is asked no more by who still shows it', async () => {
  const cache = createCache()
  const [gone, other] = [reads(), reads()]
  const leave = cache.use('case 1', gone.load, () => {})
  cache.use('list', other.load, () => {})
  cache.forget('case 1')
  await cache.invalidate('case 1')
  leave()
  expect(gone.open).toHaveLength(1)
  expect(at(gone.open, 0).signal.aborted).toBe(true)
  expect(cache.reading('list')?.loading).toBe(true)
})
