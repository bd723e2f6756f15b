import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { live } from './simulate.ts'
import { openSimulation, type Simulation } from './world.ts'

/** A few lives only: `npm run sim` lives as many as there is time for. */
const LIVES = 5
const FIRST = 1

let simulation: Simulation
beforeAll(async () => {
  simulation = await openSimulation()
})
afterAll(() => simulation[Symbol.asyncDispose]())

/** Failing is told as it is found: a shorter life that fails too is looked for by `npm run sim`. */
const lived = async (psp: string, seed: number) => live(simulation, psp, seed, false)

describe('lives of chargebacks keep to the model, whatever clients, PSPs, faults and clocks do', {
  retry: 0,
  timeout: 180_000,
}, () => {
  test.each(['stripe', 'recoup_sandbox', 'paypal'])('%s', async (psp) => {
    for (let seed = FIRST; seed < FIRST + LIVES; seed++) expect((await lived(psp, seed)).failure).toBeNull()
  })

  test('lives that failed once', async () => {
    const lines = readFileSync(new URL('seeds.txt', import.meta.url), 'utf8').split('\n')
    for (const line of lines.filter((one) => one !== '' && !one.startsWith('#'))) {
      const [psp = '', seed = ''] = line.split(' ')
      expect((await lived(psp, Number(seed))).failure, line).toBeNull()
    }
  })

  test('the same seed lives the same life again, another one another', async () => {
    const hashes = [await lived('stripe', 7), await lived('stripe', 7), await lived('stripe', 8)].map(
      ({ hash }) => hash,
    )
    expect(hashes[0]).toMatch(/^[0-9a-f]{64}$/)
    expect(hashes[1]).toBe(hashes[0])
    expect(hashes[2]).not.toBe(hashes[0])
  })
})
