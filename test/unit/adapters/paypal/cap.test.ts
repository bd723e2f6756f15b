import { describe, expect, test } from 'vitest'
import { listed, openList, seconds } from './lists.ts'

describe('more rows than PayPal shows', () => {
  test('are found by halving the window until each half fits', async () => {
    const list = openList(listed(6000, (index) => seconds - 86_400 - index * 2000))
    const found = await list.poll()
    expect(new Set(found).size).toBe(6000)
    // Seen by the last page, before 2500 details are read for nothing: only the rows on a border come twice.
    expect(list.details.length).toBeLessThan(6100)
  })

  test('are found with an open end: what is updated meanwhile is not lost', async () => {
    const disputes = listed(3000, (index) => seconds - 86_400 - index * 4000)
    const list = openList(disputes)
    const found = await list.poll((pages) => {
      const last = disputes.at(-1)
      if (pages === 3 && last) last.updatedAt = seconds
    })
    expect(new Set(found).size).toBe(3000)
  })

  test('in one second are shown as far as PayPal shows them', async () => {
    const list = openList(listed(2600, () => seconds - 86_400))
    expect(new Set(await list.poll()).size).toBe(2500)
  })

  test('of one scan are capped at none when they fit', async () => {
    const list = openList(listed(2449, (index) => seconds - 86_400 - index * 60))
    expect(await list.poll()).toHaveLength(2449)
    expect(list.cursor().scan).toBeNull()
  })
})
