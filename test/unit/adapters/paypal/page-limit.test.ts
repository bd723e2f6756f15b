import { describe, expect, test } from 'vitest'
import { listed, openList, seconds } from './lists.ts'

describe('more rows than PayPal shows', () => {
  test('are found by halving the window until each half fits', async () => {
    const list = openList(listed(6000, (index) => seconds - 86_400 - index * 2000))
    const found = await list.poll()
    expect(new Set(found).size).toBe(6000)
    // The last page is checked before 2500 details are read in vain, so only rows on a border are read twice.
    expect(list.details.length).toBeLessThan(6100)
  })

  test('are found although one is updated meanwhile, because the newest window has an open end', async () => {
    const disputes = listed(3000, (index) => seconds - 86_400 - index * 4000)
    const list = openList(disputes)
    const found = await list.poll((pages) => {
      const last = disputes.at(-1)
      if (pages === 3 && last) last.updatedAt = seconds
    })
    expect(new Set(found).size).toBe(3000)
  })

  test('are found up to PayPal’s limit if all have the same second', async () => {
    const list = openList(listed(2600, () => seconds - 86_400))
    expect(new Set(await list.poll()).size).toBe(2500)
  })

  test('are not assumed if all rows fit: 2449 rows are read in one window', async () => {
    const list = openList(listed(2449, (index) => seconds - 86_400 - index * 60))
    expect(await list.poll()).toHaveLength(2449)
    expect(list.cursor().scan).toBeNull()
  })
})
