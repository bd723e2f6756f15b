import type { Suite } from './check.ts'
import { acceptanceSuite } from './suites/acceptance.ts'
import { badObjectSuite } from './suites/bad-object.ts'
import { crashSuite } from './suites/crash.ts'
import { credentialsSuite } from './suites/credentials.ts'
import { definitionSuite } from './suites/definition.ts'
import { endsSuite } from './suites/ends.ts'
import { honestySuite } from './suites/honesty.ts'
import { limitsSuite } from './suites/limits.ts'
import { listingSuite } from './suites/listing.ts'
import { mappingSuite } from './suites/mapping.ts'
import { notificationsSuite } from './suites/notifications.ts'
import { scrubbingSuite } from './suites/scrubbing.ts'
import { secondRunSuite } from './suites/second-run.ts'
import { submissionSuite } from './suites/submission.ts'

/** Every suite, in the order of the report. */
export const SUITES: readonly Suite[] = [
  definitionSuite,
  credentialsSuite,
  listingSuite,
  secondRunSuite,
  crashSuite,
  mappingSuite,
  badObjectSuite,
  limitsSuite,
  acceptanceSuite,
  submissionSuite,
  endsSuite,
  honestySuite,
  notificationsSuite,
  scrubbingSuite,
]
