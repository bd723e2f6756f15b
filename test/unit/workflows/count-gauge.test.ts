import { Registry } from 'prom-client'
import { describe, expect, test } from 'vitest'
import { countGauge, figureGauge, readSparingly } from '../../../workflows/worker/count-gauge.ts'

describe('a gauge of counts', () => {
  test('shows 0 for a status that has become empty, and nothing if the counts can not be read', async () => {
    const registry = new Registry()
    let counts = async () => [{ psp: 'stripe', status: 'FAILED', count: 1 }]
    countGauge(registry, { name: 'integrations', help: 'h', statuses: ['FAILED', 'SUCCESSFUL'] }, () => counts())
    const lines = async () => (await registry.metrics()).split('\n').filter((line) => /^integrations/.test(line))
    const failed = (count: number) => `integrations{psp="stripe",status="FAILED"} ${count}`
    const successful = (count: number) => `integrations{psp="stripe",status="SUCCESSFUL"} ${count}`
    expect(await lines()).toEqual([failed(1), successful(0)])
    counts = async () => [{ psp: 'stripe', status: 'SUCCESSFUL', count: 1 }]
    expect(await lines()).toEqual([failed(0), successful(1)])
    counts = () => Promise.reject(new Error('the database is unavailable'))
    expect(await lines()).toEqual([])
  })
})

describe('a gauge of figures', () => {
  test('shows 0 for what was reported and is gone, and nothing if the figures can not be read', async () => {
    const registry = new Registry()
    let figures = async () => [{ of: 'EUR', value: 10.5 }]
    figureGauge(registry, { name: 'at_risk', help: 'h', label: 'currency' }, () => figures())
    const lines = async () => (await registry.metrics()).split('\n').filter((line) => /^at_risk/.test(line))
    expect(await lines()).toEqual(['at_risk{currency="EUR"} 10.5'])
    figures = async () => [{ of: 'JPY', value: 3 }]
    expect(await lines()).toEqual(['at_risk{currency="EUR"} 0', 'at_risk{currency="JPY"} 3'])
    figures = () => Promise.reject(new Error('the database is unavailable'))
    expect(await lines()).toEqual([])
    figures = async () => []
    expect(await lines()).toEqual(['at_risk{currency="EUR"} 0', 'at_risk{currency="JPY"} 0'])
  })
})

describe('an expensive read', () => {
  /** Each read takes `tookMs` on a clock that the test controls. */
  function reader(tookMs: number) {
    let clock = 0
    let reads = 0
    let fails = false
    const read = readSparingly(
      async () => {
        reads++
        clock += tookMs
        if (fails) throw new Error('too slow')
        return reads
      },
      () => clock,
    )
    return {
      read,
      reads: () => reads,
      pass(ms: number) {
        clock += ms
      },
      fail() {
        fails = true
      },
    }
  }

  test('is repeated after a hundred times its duration, and the last result is returned meanwhile', async () => {
    const { read, reads, pass } = reader(700)
    expect(await Promise.all([read(), read()])).toEqual([1, 1])
    pass(69_000)
    expect([await read(), reads()]).toEqual([1, 1])
    pass(1_000)
    expect([await read(), reads()]).toEqual([1, 2])
    expect([await read(), reads()]).toEqual([2, 2])
  })

  test('is repeated every five seconds at most, and every quarter of an hour at least', async () => {
    const quick = reader(1)
    await quick.read()
    quick.pass(4_999)
    await quick.read()
    expect(quick.reads()).toBe(1)
    quick.pass(1)
    await quick.read()
    expect(quick.reads()).toBe(2)
    const slow = reader(15_000)
    await slow.read()
    slow.pass(15 * 60_000)
    await slow.read()
    expect(slow.reads()).toBe(2)
  })

  test('that fails is not repeated early, and the old result is no longer returned', async () => {
    const { read, reads, pass, fail } = reader(700)
    await read()
    fail()
    pass(70_000)
    await read()
    await expect(read()).rejects.toThrow('too slow')
    await expect(read()).rejects.toThrow('too slow')
    expect(reads()).toBe(2)
  })
})
