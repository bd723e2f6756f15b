import { braintree } from '../../adapters/braintree/index.ts'
import { FAILS, GOES_ON } from '../../adapters/conformance/ends.ts'
import type { Subject } from '../../adapters/conformance/subject.ts'
import type { AdapterDefinition } from '../../adapters/contract.ts'
import { braintreeSimulator } from './index.ts'

/** Facts about Braintree that the kit needs. */
export const braintreeSubject: Subject = {
  definition: braintree as AdapterDefinition,
  simulator: braintreeSimulator,
  inventedAccount: 'somebodyelse',
  malformedSecrets: [
    { secretKey: '5f0c2d9b7a4e81c3d6f2a9b04e7c1d38' },
    { publicKey: 'rcp:demo', secretKey: '5f0c2d9b7a4e81c3d6f2a9b04e7c1d38' },
    { publicKey: 'rcpdemo7k2m9q4x8', secretKey: '5f0c2d9b\n7a4e81c3d6f2a9b04e7c1d38' },
    { publicKey: 'rcpdemo7k2m9q4x8', secretKey: 'access_token$production$merchant$0123456789abcdef' },
  ],
  notificationSecret: null,
  currencyDigits: {},
  returnFunds(dispute) {
    dispute.amountWon = '1.00'
    dispute.dateWon = '2026-01-02'
  },
  plantPerson(dispute, datum) {
    dispute.processorComments = datum
    dispute.paypalMessages = [{ message: datum, sender: 'buyer', sentAt: '2026-01-02T03:04:05Z' }]
  },
  listPath: `/merchants/${braintreeSimulator.profile.homeAccount}/disputes/advanced_search`,
  narrows: true,
  writeMethod: 'PUT',
  ends: {
    'waits for an answer': GOES_ON,
    'lost by decision': FAILS,
    won: FAILS,
    'under review': FAILS,
    'accepted by somebody at the PSP': {
      acceptance: ['succeeded', 'succeeded'],
      submission: ['failed', 'failed'],
      says: '"accepted"',
    },
    // auto_accepted: Braintree's status when nobody answered.
    'expired: nobody answered': FAILS,
    'evidence of somebody else submitted': FAILS,
    'evidence of another client staged': { acceptance: GOES_ON.acceptance, submission: ['failed', 'inProgress'] },
    'evidence staged by a person at the PSP': {
      acceptance: GOES_ON.acceptance,
      submission: ['failed', 'inProgress'],
    },
  },
  stateMakers: {
    'evidence staged by a person at the PSP': (bench, reference) => {
      const createdAt = bench.now().toISOString()
      const text = {
        id: 'theirs',
        comment: 'We shipped it.',
        url: null,
        category: null,
        createdAt,
        sentToProcessorAt: null,
      }
      return bench.control('PATCH', `/disputes/${reference}`, { fields: { evidence: [text] } })
    },
  },
  skips: {
    'lone_surrogate: the others are stored, it is kept as it came':
      'XML in UTF-8 has no way to say half a character: it would break the page, which is then unavailable',
    'an old signature is refused':
      "the signature of Braintree's carries no time, and deliveries are repeated for a day: older than that is refused (test notifications)",
    'an empty page in the middle is passed': 'Braintree has its own test of it (test list)',
    'a cap on pages is reached': 'no cap on pages is known for disputes',
    'a window that is too large is halved': 'Braintree has its own test of it (test windows)',
  },
}
