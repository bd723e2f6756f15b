import type { BrowserContextOptions } from 'playwright-core'
import { startBrowser } from '../../interface/reference-page.ts'
import { stubDrafts } from '../../interface/resources.ts'
import { openScene, type Scene, signIn } from './scene.ts'
import { openShop, type Row } from './shop.ts'

/** A shop with chargebacks, whose dry runs succeed, and people who visit its console. */
export async function openVisits(executable: string, rows: readonly Row[]) {
  const shop = await openShop()
  stubDrafts(shop.stage.deps)
  await shop.add(rows)
  const browser = await startBrowser(executable)
  const scenes: Scene[] = []
  return {
    shop,
    browser,
    /** Signs a person in at a path of the console. */
    async open(
      path: string,
      options: BrowserContextOptions = {},
      role: 'read' | 'work' | 'manage' = 'work',
      at = shop,
    ) {
      const scene = await openScene(browser, at.origin, options)
      scenes.push(scene)
      await scene.page.goto(`${at.origin}/console/${path}`)
      await signIn(scene.page, (await at.issue(role, 'Jana')).token)
      return scene
    },
    /** All people leave. */
    async leave() {
      for (const { context } of scenes.splice(0)) await context.close()
    },
    async [Symbol.asyncDispose]() {
      await browser.close()
      await shop[Symbol.asyncDispose]()
    },
  }
}

export type Visits = Awaited<ReturnType<typeof openVisits>>
