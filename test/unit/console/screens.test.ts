import { expect, test } from 'vitest'
import { bundleConsole } from '../../../api/console/bundle.ts'
import { screenAt } from '../../../api/console/shell.ts'
import { SCREENS } from '../../../console/app/screens.ts'
import { elsewhere } from '../../../console/app/who.ts'

test('the page of every screen comes with the code of the screen', async () => {
  const bundle = await bundleConsole()
  for (const { path, load } of SCREENS) {
    const folder = /import\(["']\.\.\/([a-z-]+)/.exec(String(load))?.[1] ?? /console\/([a-z-]+)/.exec(String(load))?.[1]
    expect(screenAt(bundle, path.replace(/:\w+/g, 'x')), path).toBe(folder)
    expect(bundle.manifest.screens).toHaveProperty(folder ?? 'no folder')
  }
  expect(screenAt(bundle, '/console')).toBe('queue')
  expect(screenAt(bundle, '/console/sign-in')).toBe('sign-in')
  expect(screenAt(bundle, '/console/queue/more')).toBeUndefined()
})

test('what a merchant lacks may be another one’s, also one that the choice does not list', () => {
  const merchants = ['a', 'b'].map((name) => ({ merchantUuid: name, referenceId: name, merchantName: name }))
  expect(elsewhere({ merchants: merchants.slice(1), hasMore: false })).toBe('')
  expect(elsewhere({ merchants, hasMore: false })).toBe('It may be of another merchant: choose it above.')
  expect(elsewhere({ merchants, hasMore: true })).toMatch(/choose it above\. If it is not listed there, sign in with/)
})
