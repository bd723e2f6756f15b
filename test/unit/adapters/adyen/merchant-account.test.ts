import { describe, expect, test } from 'vitest'
import type { AdyenSecret } from '../../../../adapters/adyen/secret.ts'
import { toChargeback } from '../../../../adapters/adyen/translate.ts'
import { adyenSimulator } from '../../../../simulators/adyen/index.ts'
import { startSimulator } from '../../../../simulators/engine/serve.ts'
import { sendJson, startLoopback } from '../loopback.ts'
import { ACCOUNT, connectAdyen, DISPUTE, delivery, type Item, inboxOf, item, opened } from './adyen.ts'

describe('checking the merchant account that was typed', () => {
  test.each(['010', '901'])('403 with code %s names the merchant account that was typed', async (errorCode) => {
    await using psp = await startLoopback((_, response) =>
      sendJson(response, 403, { status: 403, errorCode, errorType: 'security' }),
    )
    const message = expect.stringMatching(new RegExp(`no access .*merchant account ${ACCOUNT}.*role`))
    const checking = connectAdyen({ baseUrl: psp.url }).checkCredentials()
    await expect(checking).rejects.toMatchObject({ kind: 'permission_missing', message })
  })

  test('at the simulator an invented merchant account is refused, and one that there is is taken', async () => {
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

/** What the first page hands out of an inbox with these items, each delivered alone. */
async function drained(items: Item[]) {
  const adapter = connectAdyen({ inbox: inboxOf(items.map((value) => delivery([value]))) })
  const { items: handed } = await adapter.listDisputes({ cursor: { position: null }, oldestOpen: null })
  return { adapter, handed }
}

const statusOf = (raw: { reference: string | null; text: string } | undefined) => {
  const translation = raw && toChargeback(raw)
  return translation?.kind === 'chargeback' ? translation.facts.pspStatus : translation?.reason
}

describe('what is about another merchant account', () => {
  const theirs = (code: string, dayOf: number, changes: object = {}) =>
    item(code, dayOf, { merchantAccountCode: 'SomebodyElseECOM', ...changes })

  test('is no dispute of this integration, and is kept aside under its own words', async () => {
    const { handed } = await drained([opened(1), theirs('CHARGEBACK', 2, { pspReference: 'THEIRDISPUTE' })])
    expect(handed.map((raw) => raw.reference)).toEqual([DISPUTE, null])
    expect(statusOf(handed[1])).toMatch(/another merchant account/)
  })

  test('changes no dispute of ours, though it has the same reference', async () => {
    const won = theirs('CHARGEBACK_REVERSED', 3, { additionalData: { disputeStatus: 'Won' } })
    const { handed, adapter } = await drained([opened(1), won])
    expect(handed.map(statusOf)).toEqual(['needs_response', expect.stringMatching(/another merchant account/)])
    expect(statusOf(await adapter.fetchDispute(DISPUTE))).toBe('needs_response')
  })

  test('the dispute carries the merchant account that it names itself', async () => {
    const { handed } = await drained([opened(1)])
    expect(handed[0] && toChargeback(handed[0])).toMatchObject({ facts: { merchantReferenceName: ACCOUNT } })
  })
})
