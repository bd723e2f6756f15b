import { expect, test } from 'vitest'
import { countTogether } from '../../../api/limits/counting.ts'

/** A counter whose counts end when the test says so. */
function held() {
  const totals = new Map<string, number>()
  const sent: { requests: Record<string, number>; end(error?: Error): void }[] = []
  const count = countTogether(
    (requests) =>
      new Promise((resolve, reject) => {
        const end = (error?: Error) => {
          if (error) return reject(error)
          for (const [key, points] of requests) totals.set(key, (totals.get(key) ?? 0) + points)
          resolve(new Map([...totals].map(([key, consumedPoints]) => [key, { consumedPoints, msBeforeNext: 1 }])))
        }
        sent.push({ requests: Object.fromEntries(requests), end })
      }),
  )
  return { count: async (key: string) => (await count(key)).consumedPoints, sent }
}

test('requests that arrive while a count is running are counted together, and each gets its own place', async () => {
  const { count, sent } = held()
  const first = count('a')
  await expect.poll(() => sent.length).toBe(1)
  const others = [count('a'), count('b'), count('a'), count('b'), count('a')]
  expect(sent).toMatchObject([{ requests: { a: 1 } }])
  sent[0]?.end()
  expect(await first).toBe(1)
  await expect.poll(() => sent.length).toBe(2)
  expect(sent[1]?.requests).toEqual({ a: 3, b: 2 })
  sent[1]?.end()
  expect(await Promise.all(others)).toEqual([2, 1, 3, 2, 4])
})

test('a count that fails fails for its requests only', async () => {
  const { count, sent } = held()
  const first = [count('a'), count('b')]
  await expect.poll(() => sent.length).toBe(1)
  const second = count('a')
  sent[0]?.end(new Error('Postgres is unavailable'))
  for (const one of first) await expect(one).rejects.toThrow('Postgres is unavailable')
  await expect.poll(() => sent.length).toBe(2)
  sent[1]?.end()
  expect(await second).toBe(1)
})
