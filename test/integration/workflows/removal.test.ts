import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createRemoval, type DataSubject } from '../../../db/erasure/removals.ts'
import { personOf } from '../../../simulators/stripe/payments/people.ts'
import { removalWorkflowId } from '../../../workflows/contract.ts'
import { chargebackOf, createDispute, pollNow, upload } from '../../harness/rows.ts'
import { samplePdf } from '../../harness/sample-files.ts'
import { type Stack, startStack } from '../../harness/stack.ts'
import { until } from '../../harness/until.ts'
import { search } from '../../harness/whole-database.ts'

let stack: Stack
let integrationId: string
let reference: string
let jane: DataSubject

beforeAll(async () => {
  stack = await startStack()
  reference = await createDispute(stack)
  const { name, email } = personOf(reference.replace('du_1', ''))
  const [firstName = '', lastName = ''] = name.split(' ')
  jane = { email, firstName, lastName }
  integrationId = await stack.connectStripe()
  await until('it is enriched', () => chargebackOf(stack, reference), { holds: (one) => Boolean(one.isEnriched) })
  await stack.call('POST', '/transactions', { transactionId: 'earlier', transactionOrderEmail: email.toUpperCase() })
  await upload(stack, samplePdf({ content: `BT (Bill to ${email}) Tj ET` }))
}, 120_000)
afterAll(() => stack[Symbol.asyncDispose]())

const places = async () => Object.values(await search(stack.db, stack.ring, [jane.email])).flat()
const removals = () => stack.db.selectFrom('removal').selectAll().orderBy('removal_id').execute()
const done = (removalId: string) =>
  until('the removal is done', async () => (await removals()).find((row) => row.removal_id === removalId)?.status, {
    holds: (status) => status === 'succeeded',
    timeoutMs: 60_000,
  })
const ended = (removalId: string) =>
  until(
    'its run has closed',
    async () => (await stack.temporal.workflow.getHandle(removalWorkflowId(removalId)).describe()).status.name,
    { holds: (status) => status === 'COMPLETED' },
  )

describe('removeDataSubject', () => {
  test('erases in the background what real processes stored', async () => {
    expect(await places()).toEqual(
      expect.arrayContaining(['raw_object.sealed', 'transaction_record.sealed', 'file.content_sealed']),
    )
    const response = await stack.call('POST', '/data-subjects/removal', jane)
    expect(response).toMatchObject({ status: 201, body: { status: 201, message: 'Removal requested' } })
    const [row] = await removals()
    await done(row?.removal_id as string)
    await ended(row?.removal_id as string)
    expect(await places()).toEqual([])
  })

  test('neither its history nor a log line names the person', async () => {
    const [row] = await removals()
    const history = await stack.temporal.workflow.getHandle(removalWorkflowId(row?.removal_id as string)).fetchHistory()
    const payloads = JSON.stringify(history, (_, value) =>
      value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value,
    )
    expect(payloads).toContain(row?.removal_id)
    for (const text of [payloads, stack.lines().join('\n')])
      for (const word of [jane.email, jane.lastName]) expect(text.toLowerCase()).not.toContain(word.toLowerCase())
  })

  test('the next polls of real processes don’t bring the person back', async () => {
    await stack.control('POST', `/disputes/${reference}/decide`, { outcome: 'lost' })
    await stack.db
      .updateTable('chargeback')
      .set({ context_at: null, context_after: new Date(0) })
      .execute()
    await pollNow(stack, integrationId)
    await until('it is lost and enriched', () => stack.db.selectFrom('chargeback').selectAll().executeTakeFirst(), {
      holds: (row) => row?.psp_status === 'lost' && row.context_at !== null,
    })
    expect(await places()).toEqual([])
  })

  test('the reconciler restarts a run that was lost', async () => {
    const { merchantUuid, db, ring } = stack
    const credentialId = '0198c5a4-6c1e-7d60-9a55-2f4b1f6f7d10'
    // Never dispatched: no outbox row, no run.
    const removalId = await db.transaction().execute(async (trx) => {
      const created = await createRemoval(trx, ring, { merchantUuid, credentialId, who: jane })
      await trx.deleteFrom('outbox').where('outbox_id', '=', created.outboxId).execute()
      await trx
        .updateTable('removal')
        .set({ requested_at: new Date(0) })
        .where('removal_id', '=', created.removalId)
        .execute()
      return created.removalId
    })
    await stack.temporal.schedule.getHandle('ops:reconcile').trigger()
    await done(removalId)
  })
})
