import { describe, expect, it } from 'vitest'
import { recentlyUsed } from '../../../api/limits/recently-used.ts'

describe('a bounded map', () => {
  it('evicts the least recently used key', () => {
    const map = recentlyUsed<number>(2)
    map.set('a', 1)
    map.set('b', 2)
    map.get('a')
    map.set('c', 3)
    expect([map.get('a'), map.get('b'), map.get('c')]).toEqual([1, undefined, 3])
  })

  it('does not grow when a key is set again, and deletes a key', () => {
    const map = recentlyUsed<number>(2)
    map.set('a', 1)
    map.set('b', 2)
    map.set('b', 3)
    expect([map.get('a'), map.get('b')]).toEqual([1, 3])
    map.delete('a')
    expect(map.get('a')).toBeUndefined()
  })
})
