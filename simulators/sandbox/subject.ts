import { FAILS, GOES_ON } from '../../adapters/conformance/ends.ts'
import type { Subject } from '../../adapters/conformance/subject.ts'
import type { AdapterDefinition } from '../../adapters/contract.ts'
import { sandbox } from '../../adapters/sandbox/index.ts'
import { SANDBOX_ACCOUNT, sandboxSimulator } from './index.ts'

/** Facts about the sandbox that the kit needs. */
export const sandboxSubject: Subject = {
  definition: sandbox as AdapterDefinition,
  simulator: sandboxSimulator,
  inventedAccount: 'unknown_shop',
  malformedSecrets: [
    { apiKey: 'malformed_key' },
    { apiKey: 'new\nline' },
    { apiKey: 'key-77e1c0', notificationSecret: 'malformed_signing' },
  ],
  notificationSecret: 'notificationSecret',
  currencyDigits: {},
  returnFunds(dispute) {
    dispute.sandbox = { ...(dispute.sandbox as object), fundsReturnedAt: '2026-01-02T03:04:05Z' }
  },
  plantPerson(dispute, datum) {
    dispute.reason = datum
  },
  listPath: `/v1/accounts/${SANDBOX_ACCOUNT}/chargebacks`,
  ends: {
    'waits for an answer': GOES_ON,
    'lost by decision': FAILS,
    won: FAILS,
    'under review': FAILS,
    'accepted by somebody at the PSP': {
      acceptance: ['succeeded', 'succeeded'],
      submission: ['failed', 'failed'],
      says: 'acceptedAt',
    },
    'expired: nobody answered': FAILS,
    'evidence of somebody else submitted': FAILS,
    'evidence of another client staged': 'nothing can be staged at the sandbox PSP',
    'evidence staged by a person at the PSP': 'nothing can be staged at the sandbox PSP',
  },
  skips: {
    'an empty page in the middle is passed': 'a page of the sandbox PSP is empty at the end only',
    'a cap on pages is reached': 'the sandbox PSP has no cap on pages',
    'a window that is too large is halved': 'the sandbox PSP has no windows',
  },
}
