import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { open, sealContext } from '../../db/core/seal.ts'
import { NEXT_KEY } from '../../simulators/stripe/keys.ts'
import type { FaultPoint } from '../harness/fault-points/points.ts'
import { type Stack, startStack, stripeIntegration } from '../harness/stack.ts'
import { until } from '../harness/until.ts'

const POINTS = [
  'rotate.before_check',
  'rotate.after_check',
  'rotate.during_swap',
  'rotate.after_end',
] as const satisfies FaultPoint[]
const OLD = 'whsec_old'
const NEW = 'whsec_new'

const holds = mkdtempSync(join(tmpdir(), 'recoup-rotation-'))
let stack: Stack
let ids: string[]
beforeAll(async () => {
  stack = await startStack({ env: { HOLD_AT: holds } })
  const secretPayload = { ...(stripeIntegration().secretPayload as object), webhookSecret: OLD }
  ids = []
  for (const [place] of POINTS.entries()) {
    // One account, in which each integration has its own merchant at the PSP.
    const externalIdentifier = place === 0 ? stripeIntegration().externalIdentifier : `acct_recoupkilled${place}`
    ids.push(await stack.connectStripe({ externalIdentifier, secretPayload }))
  }
})
afterAll(async () => {
  await stack?.[Symbol.asyncDispose]()
  rmSync(holds, { recursive: true })
})

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

describe('a worker killed with -9 while a secret is replaced', () => {
  test('leaves the old secret or the new one, no candidate, and a repeated request works', async () => {
    // One rotation waits at each step when the process is killed.
    const files = POINTS.map((point, place) => join(holds, `${point}@${ids[place]}`))
    for (const file of files) writeFileSync(file, '')
    const responses = ids.map(replace)
    await until('each has reached its step', () => files.every((file) => existsSync(`${file}.reached`)))
    stack.workers[0]?.kill('SIGKILL')
    await stack.workers[0]?.exited
    for (const file of files) rmSync(file)
    await stack.startWorker()
    for (const [place, response] of (await Promise.all(responses)).entries()) {
      const id = ids[place] as string
      // The next worker may have finished it in time, or not.
      expect([200, 503], POINTS[place]).toContain(response.status)
      expect((await secretOf(id)).webhookSecret).toBe(response.status === 200 ? NEW : OLD)
      expect(await candidates(id)).toEqual([])
      expect((await stack.call('GET', `/integrations/${id}`)).body.status).toBe('SUCCESSFUL')
      expect(await replace(id)).toMatchObject({ status: 200, body: { integrationId: id, status: 'SUCCESSFUL' } })
      expect(await secretOf(id)).toEqual({ apiKey: NEXT_KEY, webhookSecret: NEW })
      expect(await candidates(id)).toEqual([])
    }
  }, 180_000)
})
