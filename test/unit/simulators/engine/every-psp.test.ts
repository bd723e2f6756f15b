import { describe, expect, test } from 'vitest'
import { openBench } from '../../../../adapters/conformance/bench.ts'
import { SUBJECTS } from '../../../../adapters/conformance/subjects.ts'

const CONTROLS = ['/disputes', '/clock', '/faults', '/holds', '/notifications', '/calls', '/effects', '/subscriptions']

describe.each(SUBJECTS)('the control surface of $definition.displayName', (subject) => {
  test('is not reachable at the PSP’s own address', async () => {
    await using bench = await openBench(subject)
    for (const path of CONTROLS) {
      expect((await fetch(`${bench.running.controlUrl}${path}`)).status, path).toBeLessThan(500)
      for (const method of ['GET', 'POST', 'DELETE']) {
        const response = await fetch(`${bench.running.url}${path}`, {
          method,
          ...(method === 'POST' && { body: '{}' }),
        })
        expect([401, 403, 404, 405], `${method} ${path}`).toContain(response.status)
      }
    }
    expect(bench.running.engine.faults.list()).toEqual([])
    expect(bench.running.engine.account(bench.account).disputes.all()).toEqual([])
  })

  test('creates and decides disputes, moves the clock, fails and holds calls, lists calls and effects', async () => {
    await using bench = await openBench(subject)
    const created = await bench.control('POST', '/disputes', {
      count: 2,
      status: 'needs_response',
      stage: 'chargeback',
    })
    const { disputes } = created as { disputes: { ref: string; status: string }[] }
    expect(disputes.map((dispute) => Object.keys(dispute))).toEqual(
      disputes.map(() => expect.arrayContaining(['ref', 'status'])),
    )
    const [first, second] = disputes.map((dispute) => dispute.ref)
    await bench.control('POST', `/disputes/${first}/decide`, { outcome: 'won' })
    const statusOf = (reference = '') => {
      const translation = subject.definition.toChargeback({
        reference,
        text: JSON.stringify(bench.objectOf(reference)),
      })
      return translation.kind === 'chargeback' ? translation.facts.pspStatus : translation.reason
    }
    expect([statusOf(first), statusOf(second)]).toEqual(['won', 'needs_response'])
    const before = bench.now().getTime()
    await bench.control('POST', '/clock', { seconds: 60 * 86_400 })
    expect(bench.now().getTime() - before).toBeGreaterThanOrEqual(60 * 86_400_000)
    expect(statusOf(second)).not.toBe('needs_response')
    await bench.control('POST', '/faults', { kind: '500', count: 2, match: { method: 'GET', path: '/x' } })
    expect(await bench.control('DELETE', '/faults')).toEqual({ cleared: 1 })
    const { id } = await bench.control<{ id: string }>('POST', '/holds', { match: { path: '/x' } })
    expect(await bench.control('DELETE', `/holds/${id}`)).toMatchObject({ released: 0 })
    expect(await bench.control('GET', '/calls')).toMatchObject({ calls: expect.any(Array) })
    expect(await bench.control('GET', '/effects')).toMatchObject({ effects: [] })
  })
})
