import { installedBrowser, startBrowser } from '../../test/interface/reference-page.ts'
import { openOtherSide } from '../psp/other-side.ts'
import { makeDataset } from '../reads/dataset.ts'
import { openApi } from '../reads/servers.ts'
import { appRole } from '../runner/app-role.ts'
import type { Benchmark } from '../runner/context.ts'
import { openDatabases } from '../runner/databases.ts'
import { type Visit, visit, type Work, work } from './visit.ts'

/** As on a cheap laptop. */
const SLOWER = 4

export const consolePage: Benchmark = {
  name: 'console',
  about: 'the queue of the console in a real browser: bytes, requests, processor time, and time to the first rows',
  async run(context) {
    const executable = installedBrowser()
    if (!executable) return context.skip('console.browser', context.rows, 'no Chromium or Chrome is installed')
    await using otherSide = await openOtherSide()
    const { url: serverUrl, pid: postmaster } = otherSide.postgres
    await using _role = appRole(serverUrl)
    await using databases = await openDatabases(serverUrl)
    const data = await makeDataset(databases, context.size(200_000, 2_000))
    const [merchant] = data.merchants
    if (!merchant) throw new Error('there is no merchant')
    await using api = await openApi(data)
    const browser = await startBrowser(executable)
    try {
      context.fact({ chromium: browser.version(), slower: SLOWER })
      const { rounds, loudPairs } = await context.pairsOf<'slow' | 'work', Visit | Work>(
        {
          slow: () => visit(browser, api.url, merchant.token, SLOWER),
          work: () => work(browser, api.url, merchant.token),
        },
        postmaster,
      )
      const figure = (name: string, unit: string, clock: 'wall' | 'cpu' | 'count', ours: number[]) =>
        context.metric({ name: `console.${name}`, unit, clock, ours, anchor: null }, loudPairs)
      const slow = (value: (one: Visit) => number) => rounds.map((round) => value(round.slow as Visit))
      const worked = (value: (one: Work) => number) => rounds.map((round) => value(round.work as Work))
      figure(
        'script',
        'KB',
        'count',
        slow(({ scriptKb }) => scriptKb),
      )
      figure(
        'style',
        'KB',
        'count',
        slow(({ styleKb }) => styleKb),
      )
      figure(
        'list_requests',
        'requests',
        'count',
        slow(({ listRequests }) => listRequests),
      )
      figure(
        'requests',
        'requests',
        'count',
        slow(({ requests }) => requests),
      )
      figure(
        'first_rows',
        'ms',
        'wall',
        slow(({ firstRowsMs }) => firstRowsMs),
      )
      figure(
        'load',
        'ms',
        'cpu',
        worked(({ loadMs }) => loadMs),
      )
      figure(
        'key',
        'ms',
        'cpu',
        worked(({ keyMs }) => keyMs),
      )
    } finally {
      await browser.close()
    }
  },
}
