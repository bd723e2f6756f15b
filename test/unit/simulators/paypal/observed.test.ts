import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Adapter } from '../../../../adapters/contract.ts'
import { toChargeback } from '../../../../adapters/paypal/translate.ts'
import { startSimulator } from '../../../../simulators/engine/serve.ts'
import { paypalSimulator } from '../../../../simulators/paypal/index.ts'
import { simulated } from '../../adapters/paypal/paypal.ts'

describe('observed behaviour of PayPal', () => {
  async function factsAfter(
    order: object,
    change: (bench: Awaited<ReturnType<typeof simulated>>, reference: string) => Promise<unknown>,
  ) {
    await using bench = await simulated()
    const [reference = ''] = await bench.create({ count: 1, ...order })
    await change(bench, reference)
    const translation = toChargeback(await (bench.connect() as Required<Adapter>).fetchDispute(reference))
    if (translation.kind === 'unmappable') throw new Error(translation.reason)
    return translation.facts
  }
  const decided = (outcome: string) => (bench: Awaited<ReturnType<typeof simulated>>, reference: string) =>
    bench.control('POST', `/disputes/${reference}/decide`, { outcome })

  test('a resolved internal case comes back as an external one, under the same id', async () => {
    const facts = await factsAfter({ status: 'won', stage: 'claim' }, decided('reopened'))
    expect([facts.pspStatus, facts.lifecycleStage]).toEqual(['needs_response', 'chargeback'])
  })

  test('a stage moves backwards', async () => {
    const back = { fields: { dispute_life_cycle_stage: 'INQUIRY', dispute_channel: 'INTERNAL' } }
    const facts = await factsAfter({ status: 'under_review', stage: 'claim' }, (bench, reference) =>
      bench.control('PATCH', `/disputes/${reference}`, back),
    )
    expect(facts.lifecycleStage).toBe('inquiry')
  })

  test('an outcome is spelled without the U', async () => {
    const favor = { dispute_outcome: { outcome_code: 'RESOLVED_SELLER_FAVOR' } }
    const facts = await factsAfter({ status: 'won', stage: 'claim', fields: favor }, async () => undefined)
    expect(facts.pspStatus).toBe('won')
  })

  test.each(['JPY', 'TND', 'USD'])('half of a dispute in %s is returned', async (currency) => {
    const facts = await factsAfter({ status: 'under_review', stage: 'claim', currency }, decided('split'))
    expect(facts.pspStatus).toBe('split')
  })
})

describe('the state', () => {
  test('survives a restart of the process: disputes, decisions, submissions and files', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'paypal-'))
    const snapshotFile = join(folder, 'state')
    try {
      let shown = ''
      let reference = ''
      {
        await using first = await startSimulator(paypalSimulator, { snapshotFile })
        const orders = JSON.stringify({ count: 30 })
        const created = await (await fetch(`${first.controlUrl}/disputes`, { method: 'POST', body: orders })).json()
        reference = (created as { disputes: { ref: string }[] }).disputes[0]?.ref ?? ''
        await fetch(`${first.controlUrl}/disputes/${reference}/decide`, { method: 'POST', body: '{"outcome":"split"}' })
        shown = await (await fetch(`${first.controlUrl}/disputes/${reference}`)).text()
      }
      await using second = await startSimulator(paypalSimulator, { snapshotFile })
      expect(await (await fetch(`${second.controlUrl}/disputes/${reference}`)).text()).toBe(shown)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
