import { test } from 'vitest'
import { expectGolden } from './golden.ts'

test.each(['not_received-full', 'fraud_cnp-thin', 'compliance-full', 'scripts'])(
  '%s is the package that was looked at',
  expectGolden,
)
