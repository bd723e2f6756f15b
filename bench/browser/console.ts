import { installedBrowser, startBrowser } from '../../test/interface/reference-page.ts'
import { openOtherSide } from '../psp/other-side.ts'
import { makeDataset } from '../reads/dataset.ts'
import { openApi } from '../reads/servers.ts'
import { appRole } from '../runner/app-role.ts'
import type { Context } from '../runner/context.ts'
import { openDatabases } from '../runner/databases.ts'
import { type Visit, visit, type Work, work } from './visit.ts'

/** As on a cheap laptop. */
const SLOWER = 4

export async function run(context: Context): Promise<void> {
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
    const visits = rounds.map((round) => round.slow as Visit)
    const works = rounds.map((round) => round.work as Work)
    const ofVisits = (name: keyof Visit) => visits.map((one) => one[name])
    const ofWorks = (name: keyof Work) => works.map((one) => one[name])
    figure('script', 'KB', 'count', ofVisits('scriptKb'))
    figure('style', 'KB', 'count', ofVisits('styleKb'))
    figure('list_requests', 'requests', 'count', ofVisits('listRequests'))
    figure('requests', 'requests', 'count', ofVisits('requests'))
    figure('first_rows', 'ms', 'wall', ofVisits('firstRowsMs'))
    figure('load', 'ms', 'cpu', ofWorks('loadMs'))
    figure('key', 'ms', 'cpu', ofWorks('keyMs'))
    figure('filter', 'ms', 'cpu', ofWorks('filterMs'))
  } finally {
    await browser.close()
  }
}
