import { expect, test } from 'vitest'
import { interleave, type PairOptions } from '../../../bench/runner/pairs.ts'

function bench(loads: (number | null)[], options: Partial<PairOptions> = {}) {
  const ran: string[] = []
  const side = (name: string) => async () => {
    ran.push(name)
    return ran.length
  }
  const load = async () => loads.shift() ?? 0
  const run = interleave(
    { ours: side('ours'), peer: side('peer') },
    { pairs: 2, warmUp: true, loud: false, postmaster: null, say() {}, load, pauseMs: 0, ...options },
  )
  return { ran, run }
}

test('sides run in turns after a round that is not counted, and alternate which one starts', async () => {
  const { ran, run } = bench([])
  expect(await run).toEqual({
    rounds: [
      { ours: 3, peer: 4 },
      { ours: 6, peer: 5 },
    ],
    loudPairs: 0,
  })
  expect(ran).toEqual(['peer', 'ours', 'ours', 'peer', 'peer', 'ours'])
})

test('without a warm-up the first round is counted', async () => {
  const { ran, run } = bench([], { warmUp: false })
  expect((await run).rounds).toEqual([
    { ours: 1, peer: 2 },
    { ours: 4, peer: 3 },
  ])
  expect(ran).toHaveLength(4)
})

test('a pair that begins while others use the machine is measured again', async () => {
  const { ran, run } = bench([0, 0.6, 0.4, 2])
  expect((await run).rounds).toHaveLength(2)
  expect(ran).toHaveLength(6)
})

test('the benchmark fails if the machine does not become quiet', async () => {
  const { run } = bench(Array.from({ length: 20 }, () => 1))
  await expect(run).rejects.toThrow('add --loud')
})

test('with --loud such pairs are used, and their number is reported', async () => {
  const { run } = bench([1, 1, 0], { loud: true })
  expect(await run).toMatchObject({ loudPairs: 1 })
})
