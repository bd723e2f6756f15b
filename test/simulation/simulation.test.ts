import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { live, PSPS } from './simulate.ts'
import { openSimulation, type Simulation } from './world.ts'

/** Few lives: `npm run sim` runs more. */
const LIVES = 3
const FIRST = 1

let simulation: Simulation
beforeAll(async () => {
  simulation = await openSimulation()
})
afterAll(() => simulation[Symbol.asyncDispose]())

/** Does not shrink a failing life: `npm run sim` does. */
const runLife = async (psp: string, seed: number) => live(simulation, psp, seed, false)

describe('lives of chargebacks follow the model, whatever clients, PSPs, faults and clocks do', {
  timeout: 180_000,
}, () => {
  test.each(PSPS)('%s', async (psp) => {
    const hashes: (string | null)[] = []
    for (let seed = FIRST; seed < FIRST + LIVES; seed++) {
      const { failure, hash } = await runLife(psp, seed)
      expect(failure).toBeNull()
      hashes.push(hash)
    }
    // The same seed gives the same life, another seed another one.
    expect(new Set(hashes).size).toBe(LIVES)
    expect((await runLife(psp, FIRST)).hash).toBe(hashes[0])
  })

  test('lives that failed once', async () => {
    const lines = readFileSync(new URL('seeds.txt', import.meta.url), 'utf8').split('\n')
    for (const line of lines.filter((one) => one !== '' && !one.startsWith('#'))) {
      const [psp = '', seed = ''] = line.split(' ')
      expect((await runLife(psp, Number(seed))).failure, line).toBeNull()
    }
  })
})
