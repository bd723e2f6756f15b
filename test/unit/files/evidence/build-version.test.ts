import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { BUILD_VERSION } from '../../../../domain/evidence/package/build-version.ts'

/** What the golden packages were for each version. Add a line; never change one: packages with that version exist. */
const GOLDEN: Record<number, string> = {
  1: 'b9ec04382c5a03ae408cc031b5feaf71e74e6307b42bdd23bba4e8ceb053da1e',
  2: '1936d777e41747d5db167a31c0dd76146e28188761407e8f2daba8764fc16c94',
  3: 'c58b223d06045f58f1e8900e06ec71a2f7b1f9b53883ea001f98616f4f1603d3',
  4: '07f204b0b9a29d02e2de4b706931bb933fcb4d8aaa84ab66cd385a14e0043c4c',
  5: '2d39f4d352389ecbbee9c2a37f8ead4abe3cc9115e1fe503d51dd7af3c97d0d6',
  6: '373245d2f0fcf0890a51cc7dae6354959ea57419163dd2eeee1a0264120eb089',
  // Card numbers next to other numbers are cut, and cities link no purchases: no golden package has either.
  7: '373245d2f0fcf0890a51cc7dae6354959ea57419163dd2eeee1a0264120eb089',
  // Card numbers with dots are cut, and a city with its postal code is no address: no golden package has either.
  8: '373245d2f0fcf0890a51cc7dae6354959ea57419163dd2eeee1a0264120eb089',
  // A withdrawal is quoted in its own language, and the PSP's word decides what Visa's 12.6 means: no golden package has either.
  9: '373245d2f0fcf0890a51cc7dae6354959ea57419163dd2eeee1a0264120eb089',
}

/** All golden packages: their texts, and the SHA-256 of their PDFs. */
function goldenDigest(): string {
  const hash = createHash('sha256')
  for (const folder of ['test/unit/files/evidence/golden', 'test/unit/domain/evidence/golden'])
    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort())
      if (name.endsWith('.txt')) hash.update(`${name}\n${readFileSync(join(folder, name), 'utf8')}\n`)
  return hash.digest('hex')
}

test('a changed golden package is another version of the build, so that open chargebacks get theirs again', () => {
  expect(
    GOLDEN[BUILD_VERSION],
    'The golden packages have changed: raise BUILD_VERSION in domain/evidence/package/build-version.ts and add its line here.',
  ).toBe(goldenDigest())
  expect(Math.max(...Object.keys(GOLDEN).map(Number))).toBe(BUILD_VERSION)
})
