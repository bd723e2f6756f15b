import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runCommandLine } from '../../../cli/run.ts'
import { enqueue } from '../../../db/core/outbox.ts'
import { seal, sealContext } from '../../../db/core/seal.ts'
import { requestPoll } from '../../../db/integrations/integration-operations.ts'
import { NEXT_KEY, REFUSED_KEY, WEBHOOK_SECRET } from '../../../simulators/stripe/keys.ts'
import { acceptanceEnd, allChargebacks, createDispute, pollNow } from '../../harness/rows.ts'
import { type Stack, startStack } from '../../harness/stack.ts'
import { until } from '../../harness/until.ts'

let stack: Stack
let id: string
beforeAll(async () => {
  stack = await startStack({ env: { RECOUP_COMMAND_TIMEOUT_MS: '30000' } })
  id = await stack.connectStripe()
})
afterAll(() => stack[Symbol.asyncDispose]())

const row = () =>
  stack.db.selectFrom('integration').selectAll().where('integration_id', '=', id).executeTakeFirstOrThrow()
const replace = (secretPayload: object) => stack.call('PATCH', `/integrations/${id}`, { secretPayload })
const hold = async (match: object, count: number) =>
  (await stack.control('POST', '/holds', { match, count })).body.id as string
const isHeld = (holdId: string, count: number) =>
  until(
    `the PSP holds ${count} requests`,
    async () => (await stack.control('GET', `/holds/${holdId}`)).body.held.length,
    {
      holds: (held) => held === count,
      timeoutMs: 60_000,
    },
  )
const release = (holdId: string) => stack.control('DELETE', `/holds/${holdId}`)
/** From now on the PSP refuses the requests that it holds, like after the old key was disabled. */
const refuse = (match: object, count: number) => stack.control('POST', '/faults', { kind: '401', count, match })
const effects = async (ref: string) => (await stack.control('GET', `/effects?ref=${ref}&kind=acceptance`)).body.effects

// No retry of tests: an effect that is sometimes doubled must fail.
describe('a secret is replaced', () => {
  test('while 10 commands run: each succeeds with one effect, even if the PSP refuses its old key', async () => {
    const refs = await Promise.all(Array.from({ length: 10 }, () => createDispute(stack, { stage: 'chargeback' })))
    await pollNow(stack, id)
    const found = (await allChargebacks(stack)).filter((one) => refs.includes(one.chargebackId as string))
    expect(found).toHaveLength(10)
    const closing = { method: 'POST', path: '/close' }
    const held = await hold(closing, 10)
    await Promise.all(found.map((one) => stack.call('POST', `/chargebacks/${one.id}/accept`)))
    await isHeld(held, 10)
    expect((await replace({ apiKey: NEXT_KEY, webhookSecret: WEBHOOK_SECRET })).status).toBe(200)
    await refuse(closing, 5)
    await release(held)
    for (const one of found) expect(await acceptanceEnd(stack, one.id as string)).toMatchObject({ status: 'succeeded' })
    for (const ref of refs) expect(await effects(ref)).toHaveLength(1)
    expect(await row()).toMatchObject({ status: 'SUCCESSFUL', authentication_failures: 0 })
  }, 120_000)

  test('while a poll has its lease: it completes with either key, and nothing is lost', async () => {
    const ref = await createDispute(stack)
    const listing = { method: 'GET', path: '/v1/disputes', exact: true }
    const held = await hold(listing, 1)
    await enqueue(stack.db, { kind: 'poll_now', payload: { integrationId: id } })
    await isHeld(held, 1)
    expect((await row()).lease_owner).not.toBeNull()
    expect((await replace({ apiKey: NEXT_KEY, webhookSecret: 'whsec_other' })).status).toBe(200)
    await refuse(listing, 1)
    await release(held)
    await until('its dispute is stored', async () =>
      (await allChargebacks(stack)).some(({ chargebackId }) => chargebackId === ref),
    )
    expect(await row()).toMatchObject({ status: 'SUCCESSFUL', authentication_failures: 0, poll_error: null })
  }, 120_000)

  test('of a FAILED integration: it continues where it stopped, with the same chargeback ids', async () => {
    const before = (await allChargebacks(stack)).map((one) => one.id).sort()
    const context = { integrationId: id, source: 'stripe', merchantUuid: stack.merchantUuid }
    const revoked = JSON.stringify({ apiKey: REFUSED_KEY, webhookSecret: WEBHOOK_SECRET })
    await stack.db
      .updateTable('integration')
      .set({ secret_sealed: seal(stack.ring, revoked, sealContext.integrationSecret(context)) })
      .execute()
    // A poll of a FAILED integration leaves no trace to wait for, and two triggers within a second are one.
    let requestedAt = 0
    await until('it is FAILED', async () => {
      const { status } = await row()
      if (status === 'SUCCESSFUL' && Date.now() - requestedAt > 1_500) {
        requestedAt = Date.now()
        await requestPoll(stack.db, id)
      }
      return status === 'FAILED'
    })
    const failed = await row()
    const ref = await createDispute(stack)

    const response = await replace({ apiKey: NEXT_KEY })
    expect(response).toMatchObject({ status: 200, body: { integrationId: id, status: 'SUCCESSFUL' } })
    await until('the new dispute is stored', async () =>
      (await allChargebacks(stack)).some(({ chargebackId }) => chargebackId === ref),
    )
    const after = await allChargebacks(stack)
    expect(
      after
        .filter(({ chargebackId }) => chargebackId !== ref)
        .map((one) => one.id)
        .sort(),
    ).toEqual(before)
    expect(await row()).toMatchObject({
      status: 'SUCCESSFUL',
      authentication_failures: 0,
      verified_at: expect.any(Date),
    })
    expect((await row()).cursor_version).toBe(failed.cursor_version)
    await until('its check of the old key has ended', async () => {
      const runs = stack.temporal.workflow.list({
        query: 'WorkflowType = "verifyIntegration" AND ExecutionStatus = "Running"',
      })
      for await (const _ of runs) return false
      return true
    })
  }, 120_000)

  test('by the command line, from standard input; a refusal is exit code 1 with its message', async () => {
    const run = async (secret: object, ...more: string[]) => {
      const output = { out: '', err: '' }
      const code = await runCommandLine(['integration', 'rotate', id, '--reason', 'The key is a year old.', ...more], {
        env: { DATABASE_URL: stack.databaseUrl, RECOUP_ENCRYPTION_KEYS: stack.keys },
        out: (text) => {
          output.out += text
        },
        err: (text) => {
          output.err += text
        },
        input: async () => JSON.stringify(secret),
      })
      return { code, ...output }
    }
    const before = await row()
    expect(await run({ apiKey: REFUSED_KEY })).toEqual({
      code: 1,
      out: '',
      err: expect.stringMatching(/refused the API key/),
    })
    expect(await row()).toMatchObject({ secret_sealed: before.secret_sealed, status: 'SUCCESSFUL' })
    const done = await run({ apiKey: NEXT_KEY }, '--json')
    expect(done).toMatchObject({ code: 0, err: '' })
    expect(JSON.parse(done.out)).toMatchObject({ integrationId: id, secret: 'replaced' })
    expect((await row()).secret_sealed).not.toBe(before.secret_sealed)
  })

  test('by the command line, from a file', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'recoup-secret-'))
    const file = join(folder, 'secret.json')
    writeFileSync(file, JSON.stringify({ apiKey: NEXT_KEY }))
    const output: string[] = []
    const rotate = (path: string) =>
      runCommandLine(['integration', 'rotate', id, '--secret-file', path, '--reason', 'leaked'], {
        env: { DATABASE_URL: stack.databaseUrl, RECOUP_ENCRYPTION_KEYS: stack.keys },
        out: (text) => void output.push(text),
        err: (text) => void output.push(text),
        input: async () => '{"apiKey": "of standard input"}',
      })
    const before = await row()
    expect(await rotate(join(folder, 'none.json'))).toBe(2)
    expect(output.join('')).toMatch(/--secret-file: cannot read ".*none\.json"/)
    expect((await row()).secret_sealed).toBe(before.secret_sealed)
    expect(await rotate(file)).toBe(0)
    expect((await row()).secret_sealed).not.toBe(before.secret_sealed)
    rmSync(folder, { recursive: true })
  })

  test('and no secret is in any history, log line or unsealed row', async () => {
    const rows = await stack.db.selectFrom('secret_rotation').selectAll().execute()
    expect(rows.length).toBeGreaterThan(3)
    const seen = [JSON.stringify(rows), ...stack.lines()]
    for await (const run of stack.temporal.workflow.list({ query: 'WorkflowType = "rotateSecret"' }))
      seen.push(JSON.stringify(await stack.temporal.workflow.getHandle(run.workflowId, run.runId).fetchHistory()))
    for (const text of seen) for (const key of [NEXT_KEY, REFUSED_KEY, 'whsec_other']) expect(text).not.toContain(key)
  })
})
