import type { DataSubject } from '../../../db/erasure/removals.ts'
import { personOf } from '../../../simulators/stripe/payments/people.ts'
import { openInProcess, subjectOf } from '../../harness/in-process.ts'
import { search } from '../../harness/whole-database.ts'
import { multipart, type Part } from '../../interface/multipart.ts'

export type Fixture = Awaited<ReturnType<typeof openFixture>>

export interface Subject extends DataSubject {
  phone: string
}

/** The in-process world with persons in its disputes, transactions and files. */
export async function openFixture() {
  const world = await openInProcess(subjectOf('stripe'), { faultPoints: true })
  const { stage, activities, run, control } = world
  const { db, ring } = stage
  const integrationId = await world.connect()

  const call = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    stage.call(method, `/v1${path}`, { body, headers })
  const requested = async (who: DataSubject) => {
    const { email, firstName, lastName } = who
    const response = await call('POST', '/data-subjects/removal', { email, firstName, lastName })
    if (response.status !== 201) throw new Error(response.text)
    const row = await db
      .selectFrom('removal')
      .selectAll()
      .orderBy('removal_id', 'desc')
      .limit(1)
      .executeTakeFirstOrThrow()
    return row.removal_id
  }

  return {
    ...world,
    integrationId,
    call,
    requested,
    /** Creates a dispute. @returns its reference and the payer, whom the simulator derives from the reference */
    async dispute(order: object = {}): Promise<{ reference: string; payer: Subject }> {
      const { disputes } = await control('POST', '/disputes', {
        status: 'needs_response',
        stage: 'chargeback',
        ...order,
      })
      const reference = disputes[0].ref as string
      const { name, email, phone } = personOf(reference.replace('du_1', ''))
      const [firstName = '', lastName = ''] = name.split(' ')
      return { reference, payer: { email, firstName, lastName, phone } }
    },
    /** Makes the simulated PSP deliver its newest notification about the dispute. */
    async notify(ref: string): Promise<void> {
      const { deliveries } = await control('POST', '/notifications', { url: world.notificationUrl(integrationId), ref })
      if (deliveries[0]?.status !== 200) throw new Error(`not delivered: ${JSON.stringify(deliveries)}`)
    },
    async poll(): Promise<void> {
      await run(activities.ingestPages, { integrationId })
      await run(activities.enrichChargebacks, { integrationId })
    },
    chargeback: (reference: string) =>
      db.selectFrom('chargeback').selectAll().where('chargeback_id', '=', reference).executeTakeFirstOrThrow(),
    async upload(content: Buffer, more: Part[] = [], extra: Record<string, string> = {}, filename = 'proof.pdf') {
      const parts = [{ name: 'file', content, filename }, { name: 'purpose', content: 'evidence_file' }, ...more]
      const { type, body } = multipart(parts)
      const headers = { authorization: `Bearer ${stage.token}`, 'content-type': type, ...extra }
      const response = await stage.app.request('/v1/files', { method: 'POST', headers, body })
      return (await response.json()) as { id: string; metadata?: string; checksum: string }
    },
    /** Requests the removal and runs its activities, for up to `passes`. @returns whether it was completed */
    async remove(who: DataSubject, passes = 5): Promise<boolean> {
      const removalId = await requested(who)
      await run(activities.listErased, { removalId })
      for (let pass = 0; pass < passes; pass++) {
        const { found, held } = await run(activities.eraseSubject, { removalId })
        if (found > 0 || held > 0) continue
        await run(activities.recordRemoval, { removalId })
        return true
      }
      return false
    },
    proof: async () =>
      (await db.selectFrom('removal').select('proof').orderBy('removal_id', 'desc').limit(1).executeTakeFirstOrThrow())
        .proof,
    /** Every column of the database that names the person. */
    async placesOf(who: Subject): Promise<string[]> {
      const found = await search(db, ring, [who.email, who.phone])
      return [...new Set(Object.values(found).flat())].sort()
    },
  }
}
