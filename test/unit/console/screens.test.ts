import { expect, test } from 'vitest'
import { bundleConsole } from '../../../api/console/bundle.ts'
import { screenAt } from '../../../api/console/shell.ts'
import { SCREENS } from '../../../console/app/screens.ts'

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
