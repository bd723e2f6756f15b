import { describe, expect, test } from 'vitest'
import { sandbox } from '../../../../adapters/sandbox/index.ts'
import type { PspFetch } from '../../../../adapters/shared/psp-fetch.ts'
import { startSimulator } from '../../../../simulators/engine/serve.ts'
import { SANDBOX_ACCOUNT, sandboxSimulator } from '../../../../simulators/sandbox/index.ts'
import { connectSandbox, memoryInbox, NOW, rawChargeback } from './connect.ts'

describe('raw data next to the sandbox PSP', () => {
  test('both are listed, and each is accepted in its own place', async () => {
    await using simulator = await startSimulator(sandboxSimulator)
    const { inbox, post } = memoryInbox()
    const adapter = connectSandbox({
      inbox,
      baseUrl: simulator.url,
      externalIdentifier: SANDBOX_ACCOUNT,
      now: () => new Date(),
    })
    post(rawChargeback())
    const order = { count: 1, status: 'needs_response', stage: 'chargeback' }
    const created = await fetch(`${simulator.controlUrl}/disputes`, { method: 'POST', body: JSON.stringify(order) })
    const { disputes } = (await created.json()) as { disputes: { ref: string }[] }
    const theirs = disputes[0]?.ref ?? ''
    const page = await adapter.listDisputes({ cursor: sandbox.cursor.initial(new Date()), oldestOpen: null })
    expect(page.items.map((item) => item.reference)).toEqual(['cb-1', theirs])
    for (const reference of ['cb-1', theirs]) await adapter.acceptDispute({ reference, idempotencyKey: reference })
    expect(simulator.engine.ledger.effects.map((effect) => effect.ref)).toEqual([theirs])
    expect(await adapter.fetchContext({ reference: 'cb-1', text: '{}' })).toBeNull()
  })

  test('posted data is returned although the sandbox PSP fails, and the next call throws its error', async () => {
    const { inbox, post } = memoryInbox()
    const down: PspFetch = async () => new Response('', { status: 503 })
    const adapter = connectSandbox({ inbox, baseUrl: 'http://127.0.0.1:9', fetch: down })
    post(rawChargeback())
    const page = await adapter.listDisputes({ cursor: sandbox.cursor.initial(NOW), oldestOpen: null })
    expect([page.items.map((item) => item.reference), page.hasMore]).toEqual([['cb-1'], true])
    const next = adapter.listDisputes({ cursor: page.cursor, oldestOpen: null })
    await expect(next).rejects.toMatchObject({ kind: 'unavailable' })
  })

  test('without posted data and without a sandbox PSP the list is empty, and a read is not_found', async () => {
    const adapter = connectSandbox({ inbox: memoryInbox().inbox })
    const page = await adapter.listDisputes({ cursor: sandbox.cursor.initial(NOW), oldestOpen: null })
    expect(page).toMatchObject({ items: [], hasMore: false })
    await expect(adapter.fetchDispute('cb-1')).rejects.toMatchObject({ kind: 'not_found' })
  })
})
