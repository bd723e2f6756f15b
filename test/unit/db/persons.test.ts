import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { openBytes, readKeyRing, sealBytes, sealContext } from '../../../db/core/seal.ts'
import { personHashes, personLookups } from '../../../db/erasure/persons.ts'

const key = () => randomBytes(32).toString('base64')
const [first, second] = [key(), key()]
const found = (hashes: Buffer[], lookups: Buffer[]) => hashes.some((one) => lookups.some((other) => other.equals(one)))

describe('the blind index of persons', () => {
  const ring = readKeyRing(`a:${first}`)
  const hashes = personHashes(ring, '{"email":"Jane@Example.com"}', 'and bob@example.com')

  test('finds an address in upper or lower case, and no other', () => {
    expect(hashes).toHaveLength(2)
    expect(found(hashes, personLookups(ring, 'JANE@example.COM'))).toBe(true)
    expect(found(hashes, personLookups(ring, 'jan@example.com'))).toBe(false)
  })

  test('reveals nothing without the key', () => {
    expect(Buffer.concat(hashes).toString('latin1')).not.toContain('jane')
    expect(found(hashes, personLookups(readKeyRing(`a:${second}`), 'jane@example.com'))).toBe(false)
  })

  test('finds rows from before and after a rotation of the ring, as long as they can be opened', () => {
    const rotated = readKeyRing(`b:${second},a:${first}`)
    const later = personHashes(rotated, 'jane@example.com')
    const lookups = personLookups(rotated, 'jane@example.com')
    expect([found(hashes, lookups), found(later, lookups)]).toEqual([true, true])
    expect(found(hashes, personLookups(readKeyRing(`b:${second}`), 'jane@example.com'))).toBe(false)
  })
})

describe('sealed bytes', () => {
  const ring = readKeyRing(`a:${first}`)
  const place = sealContext.file('m', 'f')
  const content = randomBytes(100_000)

  test('open again, also after a rotation, and are only some bytes longer', () => {
    const sealed = sealBytes(ring, content, place)
    expect(sealed.length - content.length).toBeLessThan(40)
    expect(openBytes(readKeyRing(`b:${second},a:${first}`), sealed, place)).toEqual(content)
  })

  test.each([
    ['of another file', (sealed: Buffer) => [sealed, sealContext.file('m', 'g')] as const],
    ['altered', (sealed: Buffer) => [Buffer.concat([sealed.subarray(0, -1), Buffer.of(1)]), place] as const],
    ['cut', (sealed: Buffer) => [sealed.subarray(0, 20), place] as const],
  ])('%s don’t open', (_, change) => {
    const [bytes, context] = change(sealBytes(ring, Buffer.alloc(64), place))
    expect(() => openBytes(ring, bytes, context)).toThrow('altered, or of another place')
  })
})
