import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { NEXT_KEY } from '../../adapters/stripe/simulator-keys.ts'
import { open, sealContext } from '../../db/seal.ts'
import { type Stack, startStack, stripeIntegration } from '../harness/stack.ts'

const MOMENTS = ['rotate.before_check', 'rotate.after_check', 'rotate.during_swap', 'rotate.after_end'] as const
const OLD = 'whsec_old'
const NEW = 'whsec_new'

let stack: Stack
let ids: string[]
beforeAll(async () => {
  stack = await startStack()
  const secretPayload = { ...(stripeIntegration().secretPayload as object), webhookSecret: OLD }
  ids = []
  for (const [place] of MOMENTS.entries()) {
    // One account, in which each integration has a merchant of its own at the PSP.
    const externalIdentifier = place === 0 ? stripeIntegration().externalIdentifier : `acct_recoupkilled${place}`
    ids.push(await stack.connectStripe({ externalIdentifier, secretPayload }))
  }
})
afterAll(() => stack[Symbol.asyncDispose]())

const replace = (id: string) =>
  stack.call('PATCH', `/integrations/${id}`, { secretPayload: { apiKey: NEXT_KEY, webhookSecret: NEW } })

async function secretOf(id: string): Promise<{ apiKey: string; webhookSecret: string }> {
  const row = await stack.db
    .selectFrom('integration')
    .selectAll()
    .where('integration_id', '=', id)
    .executeTakeFirstOrThrow()
  const context = { integrationId: id, source: 'stripe', merchantUuid: stack.merchantUuid }
  return JSON.parse(open(stack.ring, row.secret_sealed, sealContext.integrationSecret(context)))
}
const candidates = (id: string) =>
  stack.db
    .selectFrom('secret_rotation')
    .select(['rotation_id', 'outcome'])
    .where('integration_id', '=', id)
    .where('secret_sealed', 'is not', null)
    .execute()

describe('a worker killed with -9 while a secret is replaced', { retry: 0 }, () => {
  test('leaves the old secret or the new one, no candidate, and a repeated request works', async () => {
    await stack.workers[0]?.stop()
    const answers: ReturnType<typeof replace>[] = []
    for (const [place, moment] of MOMENTS.entries()) {
      const doomed = await stack.startWorker({ CRASH_AT: moment })
      answers.push(replace(ids[place] as string))
      expect(await doomed.exited, moment).not.toBe(0)
    }
    await stack.startWorker()
    for (const [place, answer] of (await Promise.all(answers)).entries()) {
      const id = ids[place] as string
      // The next worker may have had time for it, or not.
      expect([200, 503], MOMENTS[place]).toContain(answer.status)
      expect((await secretOf(id)).webhookSecret).toBe(answer.status === 200 ? NEW : OLD)
      expect(await candidates(id)).toEqual([])
      expect((await stack.call('GET', `/integrations/${id}`)).body.status).toBe('SUCCESSFUL')
      expect(await replace(id)).toMatchObject({ status: 200, body: { integrationId: id, status: 'SUCCESSFUL' } })
      expect(await secretOf(id)).toEqual({ apiKey: NEXT_KEY, webhookSecret: NEW })
      expect(await candidates(id)).toEqual([])
    }
  }, 180_000)
})
