import type { DisputePage } from '../../../../adapters/contract.ts'
import { type PspFetch, pspFetch } from '../../../../adapters/shared/psp-fetch.ts'
import { until } from '../../../harness/until.ts'
import { openPollingFixture } from '../polling-fixture.ts'

/** Merchants at a simulated Stripe whose polls the test observes: their requests, and the pages that they store. */
export async function openReadAheadFixture() {
  const fixture = await openPollingFixture({ faultPoints: true })
  const observed = {
    /** The signal of each poll that sent a request. */
    signals: new Set<AbortSignal | undefined>(),
    /** Requests of all polls. */
    inFlight: { now: 0, most: 0 },
    /** Changes what the PSP lists. */
    listedBy: (page: DisputePage<unknown>) => page,
  }
  const atFirst = { ...observed }
  fixture.deps.fetch = (url, request) => {
    observed.signals.add(request?.signal)
    return pspFetch(url, request)
  }
  const { adapterFor } = fixture.deps
  fixture.deps.adapterFor = (...named) => {
    const definition = adapterFor(...named)
    if (!definition) return definition
    return {
      ...definition,
      connect(context) {
        const { inFlight } = observed
        const counting: PspFetch = async (...request) => {
          inFlight.most = Math.max(inFlight.most, ++inFlight.now)
          return context.fetch(...request).finally(() => inFlight.now--)
        }
        const adapter = definition.connect({ ...context, fetch: counting })
        return { ...adapter, listDisputes: async (request) => observed.listedBy(await adapter.listDisputes(request)) }
      },
    }
  }

  let accounts = 0
  async function shopWith(count: number, ages: (number | undefined)[] = [undefined]) {
    const account = `acct_ahead${++accounts}`
    for (const ageDays of ages)
      await fixture.control('POST', '/disputes', {
        count,
        account,
        status: 'under_review',
        ...(ageDays && { ageDays }),
      })
    const shop = await fixture.merchantOf(account)
    const { integrationId } = shop
    /** List requests of this account. `after`: the last dispute of the page before; `status`: HTTP status of the response. */
    const requests = () =>
      fixture.engine.ledger.calls
        .filter((call) => call.account === account && call.path === '/v1/disputes')
        .map(({ query, status }) => ({ after: new URLSearchParams(query).get('starting_after'), status }))
    const answered = () => requests().filter(({ status }) => status === 200).length
    const integration = () =>
      fixture.db
        .selectFrom('integration')
        .select(['cursor', 'lease_owner'])
        .where('integration_id', '=', integrationId)
        .executeTakeFirstOrThrow()
    const pages = async () => {
      const rows = fixture.db.selectFrom('list_page').select('page_key').where('integration_id', '=', integrationId)
      return (await rows.execute()).map((row) => row.page_key)
    }
    const references = async () => (await shop.all()).map((row) => row.chargeback_id)
    /** The transaction of the nth page fails before its commit, when the PSP has responded with the page after it. */
    function failPage(nth: number): void {
      let commits = 0
      fixture.hooks.atFaultPoint = async (point) => {
        if (point !== 'poll.during_page' || ++commits !== nth) return
        await until('the next page was read', () => answered() > nth)
        throw new Error('the commit failed')
      }
    }
    return { ...shop, requests, answered, integration, pages, references, failPage }
  }

  return {
    ...fixture,
    observed,
    shopWith,
    /** As at first: nothing fails, and nothing has been observed yet. */
    reset() {
      Object.assign(observed, { ...atFirst, signals: new Set(), inFlight: { now: 0, most: 0 } })
      fixture.hooks.atFaultPoint = async () => {}
      fixture.hooks.sent = () => {}
      delete fixture.deps.commandsFirst
    },
  }
}
