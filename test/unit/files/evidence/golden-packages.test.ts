import { test } from 'vitest'
import { expectGolden } from './golden.ts'
import { PACKAGES } from './package-cases.ts'

// Four of them are in golden-short.test.ts, for `npm test`. `npm run evidence-pictures` shows all as pictures.
test.each(Object.keys(PACKAGES))('%s is the package that was looked at', expectGolden)
