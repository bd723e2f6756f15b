import { ScheduleOverlapPolicy } from '@temporalio/client'
import { RECONCILE_SCHEDULE_ID } from '../../workflows/contract.ts'
import { runningPolls } from './pollers.ts'
import type { Stack } from './stack.ts'
import { until } from './until.ts'

/** Chargebacks of the stack as clients read them, all pages. */
export async function allChargebacks(stack: Stack): Promise<Record<string, unknown>[]> {
  const found: Record<string, unknown>[] = []
  for (let page = 1; ; page++) {
    const { body } = await stack.call('GET', `/chargebacks?limit=100&page=${page}`)
    found.push(...body.data)
    if (!body.hasMore) return found
  }
}

/**
 * Requests a poll, as an operator does, and waits until a poll after that has succeeded and ended with its enrichment.
 */
export async function pollNow(stack: Stack, integrationId: string): Promise<void> {
  const before = await polledAt(stack, integrationId)
  const { enqueue } = await import('../../db/core/outbox.ts')
  await enqueue(stack.db, { kind: 'poll_now', payload: { integrationId } })
  await until('a poll has ended', async () => (await polledAt(stack, integrationId)) > before)
  // A dispatch that timed out is retried, which may request another poll.
  await until('no poll is requested', async () => {
    const asking = stack.db.selectFrom('outbox').select('payload').where('kind', '=', 'poll_now')
    return (await asking.execute()).every(({ payload }) => !JSON.stringify(payload).includes(integrationId))
  })
  await until('no poll is running', async () => (await runningPolls(stack, integrationId)) === 0)
}

/** Runs the reconciler now instead of within 15 seconds. */
export async function reconcileNow(stack: Stack): Promise<void> {
  await stack.temporal.schedule.getHandle(RECONCILE_SCHEDULE_ID).trigger(ScheduleOverlapPolicy.BUFFER_ONE)
}

async function polledAt(stack: Stack, integrationId: string): Promise<number> {
  const row = await stack.db
    .selectFrom('integration')
    .select('polled_at')
    .where('integration_id', '=', integrationId)
    .executeTakeFirstOrThrow()
  return row.polled_at?.getTime() ?? 0
}

/** Waits until the chargeback with the PSP's id is stored, and returns it. */
export async function chargebackOf(stack: Stack, reference: string): Promise<Record<string, string>> {
  const response = await until(
    `${reference} is ingested`,
    () => stack.call('GET', `/chargebacks?chargebackId=${reference}`),
    { holds: ({ body }) => body.data.length === 1 },
  )
  return response.body.data[0]
}

/** Creates one dispute, posted minutes ago, at the simulated PSP and returns its id there. */
export async function createDispute(stack: Stack, order: Record<string, unknown> = {}): Promise<string> {
  const { body } = await stack.control('POST', '/disputes', {
    count: 1,
    status: 'needs_response',
    ageDays: 0.01,
    ...order,
  })
  return body.disputes[0].ref
}

/** Waits until the acceptance has ended, and returns it. */
export async function acceptanceEnd(stack: Stack, id: string, timeoutMs = 60_000): Promise<Record<string, string>> {
  const response = await until('the acceptance has ended', () => stack.call('GET', `/chargebacks/${id}/accept`), {
    holds: ({ body }) => body.status === 'succeeded' || body.status === 'failed',
    timeoutMs,
  })
  return response.body
}

/** Uploads a PDF as evidence and returns the file's id. */
export async function upload(stack: Stack, pdf: Buffer, metadata: Record<string, string> = {}): Promise<string> {
  const form = new FormData()
  form.append('file', new Blob([new Uint8Array(pdf)], { type: 'application/pdf' }), 'evidence.pdf')
  form.append('purpose', 'evidence_file')
  form.append('metadata', JSON.stringify(metadata))
  const response = await fetch(`${stack.apis.at(-1)?.url}/v1/files`, {
    method: 'POST',
    headers: { authorization: `Bearer ${stack.token}` },
    body: form,
  })
  const body = (await response.json()) as { id: string }
  if (response.status !== 201) throw new Error(`POST /files returned ${response.status}: ${JSON.stringify(body)}`)
  return body.id
}

/** Waits until the submission has ended, and returns it. */
export async function submissionEnd(
  stack: Stack,
  id: string,
  submission: string,
  timeoutMs = 60_000,
): Promise<Record<string, string>> {
  const path = `/chargebacks/${id}/evidence/submit/${submission}`
  const response = await until('the submission has ended', () => stack.call('GET', path), {
    holds: ({ body }) => body.status === 'succeeded' || body.status === 'failed',
    timeoutMs,
  })
  return response.body
}
