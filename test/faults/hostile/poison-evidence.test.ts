import { afterAll, beforeAll, expect, test } from 'vitest'
import { storeFile } from '../../../db/evidence/files.ts'
import { isAlive } from '../../../local/processes.ts'
import { chargebackOf, createDispute, pollNow, submissionEnd } from '../../harness/rows.ts'
import { samplePdf } from '../../harness/sample-files.ts'
import { type Stack, startStack } from '../../harness/stack.ts'
import { nestedArrays } from './nested-arrays.ts'

let stack: Stack
beforeAll(async () => {
  stack = await startStack()
})
afterAll(() => stack[Symbol.asyncDispose]())

/** Stored by an earlier version, which accepted it; today the upload is refused. */
async function stored(content: Buffer): Promise<string> {
  const { fileId } = await storeFile(stack.db, stack.ring, {
    ...{ merchantUuid: stack.merchantUuid, name: 'proof.pdf', type: 'application/pdf', purpose: 'evidence_file' },
    ...{ content, addresses: [], metadata: null },
  })
  return fileId
}

async function submitted(id: string, fileId: string): Promise<Record<string, string>> {
  const { status, body } = await stack.call('POST', `/chargebacks/${id}/evidence/submit`, { fileId })
  expect(status).toBe(201)
  return submissionEnd(stack, id, body.id, 120_000)
}

test('a poison file fails its submission after bounded attempts, and the worker keeps running', async () => {
  const integrationId = await stack.connectStripe()
  const ref = await createDispute(stack, { stage: 'chargeback' })
  await pollNow(stack, integrationId)
  const { id = '' } = await chargebackOf(stack, ref)
  const [worker] = stack.workers

  const poison = await stored(nestedArrays())
  expect(await submitted(id, poison)).toMatchObject({
    status: 'failed',
    error: expect.stringContaining(`The file ${poison} is too complex to read`),
  })
  const killed = stack
    .lines()
    .filter((line) => line.includes('file process killed'))
    .map((line) => JSON.parse(line) as { pid: number; reason: string })
  // Kills on a busy machine count little against the file.
  const attempts = killed.filter(({ reason }) => reason !== 'starved').length
  expect(attempts).toBeGreaterThanOrEqual(1)
  expect(attempts).toBeLessThanOrEqual(2)
  expect(killed.map(({ pid }) => pid)).not.toContain(worker?.pid)
  expect(stack.workers).toHaveLength(1)
  expect(isAlive(worker?.pid ?? 0)).toBe(true)

  // The same worker sends the next file of the chargeback.
  expect(await submitted(id, await stored(samplePdf()))).toMatchObject({ status: 'succeeded' })
  expect(isAlive(worker?.pid ?? 0)).toBe(true)
}, 300_000)
