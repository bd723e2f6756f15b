import { changeSettings } from '../../../../db/merchants/account-settings.ts'
import { againPackages, wantedPackages } from '../../../../db/packages/wanted.ts'
import { openFixture as openSubmissions, subjectOf } from '../commands/submission-fixture.ts'

export type Fixture = Awaited<ReturnType<typeof openFixture>>

/** A parcel that was delivered: everything that the play of Visa 13.1 requires. */
export const DELIVERED = {
  transactionOrderItemsProductDescription: 'Blue running shoes, size 42',
  transactionShippingToFullShippingAddress: '12 Mill Lane, Leeds, LS1 4DY, GB',
  shippingCarrier: 'DHL',
  shippingTrackingNumber: '00340434161094042557',
  customerCommunication: [{ sent: '2026-03-07', from: 'ada@example.com', body: 'They fit.', caption: 'She has them.' }],
  transactionOrderEmail: 'ada@example.com',
}
const HOUR_MS = 3_600_000
const day = (daysAgo: number) => new Date(Date.now() - daysAgo * 24 * HOUR_MS).toISOString().slice(0, 10)

/** The in-process world of submissions, with a clock that the test moves, and chargebacks that build evidence. */
export async function openFixture(source = 'stripe') {
  let ahead = 0
  const now = () => new Date(Date.now() + ahead)
  const blocked: string[] = []
  const counts = { blocked: (code: string) => void blocked.push(code) }
  const world = await openSubmissions(subjectOf(source), { now, ...counts }, { now })
  const { stage, activities, run } = world
  const path = (id: string, rest = '') => `/v1/chargebacks/${id}${rest}`

  return {
    ...world,
    blocked,
    now,
    /** Moves the clock, also back. */
    wait: (ms: number) => {
      ahead += ms
    },
    moveTo: (at: Date) => {
      ahead = at.getTime() - Date.now()
    },
    /** A chargeback in `building_evidence`, for goods not received. */
    async building(points: object = {}, order: object = {}): Promise<{ ref: string; id: string; dueDate: Date }> {
      const { ref, id } = await world.open({ reason: '13.1', ...order })
      const { status } = await stage.call('PATCH', path(id, '/should-fight'), { body: { shouldFight: true } })
      if (status !== 201) throw new Error('not decided')
      await this.send(id, { ...DELIVERED, shippingDate: day(60), deliveryDate: day(57), ...points })
      const row = await stage.db
        .selectFrom('chargeback')
        .select('due_date')
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
      return { ref, id, dueDate: row.due_date as Date }
    },
    async send(id: string, points: object): Promise<void> {
      const { status, text } = await stage.call('PATCH', path(id), { body: points })
      if (status !== 201) throw new Error(text)
    },
    /** What the sweep would build half a minute after the last change, and what it is time to look at again. */
    async wanted(): Promise<string[]> {
      const wanted = await wantedPackages(stage.db, new Date(now().getTime() + 31_000), 1_000)
      return [...wanted, ...(await againPackages(stage.db, now(), 1_000))].map(({ chargebackId }) => chargebackId)
    },
    /** Builds what is wanted, half a minute after the last change. @returns the results by chargeback */
    async build(): Promise<Record<string, string>> {
      const results: Record<string, string> = {}
      for (const chargebackId of await this.wanted())
        results[chargebackId] = (await run(activities.buildPackage, { chargebackId })).result
      return results
    },
    /** A build during which something happens, after the files were read. */
    async buildDuring(chargebackId: string, happens: () => Promise<unknown>): Promise<{ result: string }> {
      const { renderer } = world.deps
      const waiting = async (job: never) => {
        await happens()
        return renderer.run(job)
      }
      Object.assign(world.deps, { renderer: { ...renderer, run: waiting } })
      try {
        return await run(activities.buildPackage, { chargebackId })
      } finally {
        Object.assign(world.deps, { renderer })
      }
    },
    draft: (id: string, headers: Record<string, string> = {}) =>
      stage.call('GET', path(id, '/evidence/draft'), { headers }),
    hold: (id: string, automatic: boolean) => stage.call('PATCH', path(id, '/evidence/draft'), { body: { automatic } }),
    submit: (id: string, fileId: string) => stage.call('POST', path(id, '/evidence/submit'), { body: { fileId } }),
    policy: (automaticSubmission: object) => changeSettings(stage.db, stage.accountId, { automaticSubmission }),
    /** One run of the sweep. */
    sweep: () => run(activities.submitAutomatically as (input: object) => Promise<number>, {}),
    packages: (id: string) =>
      stage.db.selectFrom('evidence_package').selectAll().where('chargeback_id', '=', id).orderBy('version').execute(),
    commands: (id: string) => stage.db.selectFrom('command').selectAll().where('chargeback_id', '=', id).execute(),
    async timeline(id: string): Promise<{ what: string; source: string; after: Record<string, unknown> | null }[]> {
      return (await stage.call('GET', path(id, '/timeline'))).body.data
    },
  }
}
