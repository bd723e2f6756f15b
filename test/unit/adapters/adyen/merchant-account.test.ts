import { describe, expect, test } from 'vitest'
import type { AdyenSecret } from '../../../../adapters/adyen/secret.ts'
import { toChargeback } from '../../../../adapters/adyen/translate.ts'
import { adyenSimulator } from '../../../../simulators/adyen/index.ts'
import { startSimulator } from '../../../../simulators/engine/serve.ts'
import { sendJson, startLoopback } from '../loopback.ts'
import { ACCOUNT, connectAdyen, DISPUTE, delivery, type Item, inboxOf, item, opened } from './adyen.ts'

describe('checking the merchant account that the client entered', () => {
  test.each(['010', '901'])('403 with code %s names the entered merchant account', async (errorCode) => {
    await using psp = await startLoopback((_, response) =>
      sendJson(response, 403, { status: 403, errorCode, errorType: 'security' }),
    )
    const message = expect.stringMatching(new RegExp(`no access .*merchant account ${ACCOUNT}.*role`))
    const checking = connectAdyen({ baseUrl: psp.url }).checkCredentials()
    await expect(checking).rejects.toMatchObject({ kind: 'permission_missing', message })
  })

  test('the simulator refuses an invented merchant account and accepts an existing one', async () => {
    await using running = await startSimulator(adyenSimulator)
    const secret = adyenSimulator.secretPayload as unknown as AdyenSecret
    const checking = (externalIdentifier: string) =>
      connectAdyen({ baseUrl: running.url, secret, externalIdentifier, pspAccount: null }).checkCredentials()
    await expect(checking('SomebodyElseECOM')).rejects.toMatchObject({
      kind: 'permission_missing',
      message: expect.stringContaining('SomebodyElseECOM'),
    })
    const { homeAccount } = adyenSimulator.profile
    expect(await checking(homeAccount)).toMatchObject({ pspAccount: homeAccount })
  })
})

/** The first page of an inbox with these items, each in its own delivery. */
async function firstPage(items: Item[]) {
  const adapter = connectAdyen({ inbox: inboxOf(items.map((value) => delivery([value]))) })
  const { items: returned } = await adapter.listDisputes({ cursor: { position: null }, oldestOpen: null })
  return { adapter, returned }
}

const statusOf = (raw: { reference: string | null; text: string } | undefined) => {
  const translation = raw && toChargeback(raw)
  return translation?.kind === 'chargeback' ? translation.facts.pspStatus : translation?.reason
}

describe('a notification about another merchant account', () => {
  const theirs = (code: string, dayOf: number, changes: object = {}) =>
    item(code, dayOf, { merchantAccountCode: 'SomebodyElseECOM', ...changes })

  test('is no dispute of this integration, and is quarantined with its reason', async () => {
    const { returned } = await firstPage([opened(1), theirs('CHARGEBACK', 2, { pspReference: 'THEIRDISPUTE' })])
    expect(returned.map((raw) => raw.reference)).toEqual([DISPUTE, null])
    expect(statusOf(returned[1])).toMatch(/another merchant account/)
  })

  test('changes no dispute of this integration, even with the same reference', async () => {
    const won = theirs('CHARGEBACK_REVERSED', 3, { additionalData: { disputeStatus: 'Won' } })
    const { returned, adapter } = await firstPage([opened(1), won])
    expect(returned.map(statusOf)).toEqual(['needs_response', expect.stringMatching(/another merchant account/)])
    expect(statusOf(await adapter.fetchDispute(DISPUTE))).toBe('needs_response')
  })

  test('a dispute has the merchant account of its own notification', async () => {
    const { returned } = await firstPage([opened(1)])
    expect(returned[0] && toChargeback(returned[0])).toMatchObject({ facts: { merchantReferenceName: ACCOUNT } })
  })
})
