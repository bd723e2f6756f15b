import { adyen } from '../../adapters/adyen/index.ts'
import { FAILS, GOES_ON } from '../../adapters/conformance/ends.ts'
import type { Subject } from '../../adapters/conformance/subject.ts'
import type { AdapterDefinition } from '../../adapters/contract.ts'
import type { Json, JsonObject } from '../engine/contract.ts'
import { adyenSimulator, SERVICE } from './index.ts'

const { apiKey = '' } = adyenSimulator.secretPayload

/** Facts about Adyen that the kit needs. */
export const adyenSubject: Subject = {
  definition: adyen as AdapterDefinition,
  simulator: adyenSimulator,
  inventedAccount: 'SomebodyElseECOM',
  malformedSecrets: [
    { hmac: 'not hex, and so an empty key', apiKey },
    { hmac: 'abc', apiKey },
    { hmac: '44782DEF547AAA06', apiKey },
    { apiKey: 'key with\na new line' },
    { apiKey, merchantCode: 'AnotherMerchantAccount' },
    { apiKey, merchantCode: 'no name' },
  ],
  notificationSecret: 'hmac',
  // docs.adyen.com, Currency codes and minor units.
  currencyDigits: { CVE: 0, IDR: 0, BIF: 2, CLP: 2, ISK: 2, UYI: 2, CLF: 2, UYW: 2 },
  returnFunds(dispute) {
    const items = dispute.items as JsonObject[]
    const last = items.at(-1) ?? {}
    const refund: JsonObject = { ...last, eventCode: 'REFUND', eventDate: '2031-01-01T00:00:00+00:00' }
    dispute.items = [...items, refund] as Json
  },
  plantPerson(dispute, datum) {
    const items = dispute.items as JsonObject[]
    const last = items.at(-1) ?? {}
    const additionalData = {
      ...(last.additionalData as JsonObject),
      shopperReference: datum,
      'issuerComments.type': datum,
    }
    const comment: JsonObject = { ...last, eventCode: 'ISSUER_COMMENTS', additionalData, merchantReference: datum }
    dispute.items = [...items, comment] as Json
  },
  listPath: `${SERVICE}/retrieveApplicableDefenseReasons`,
  submitPath: `${SERVICE}/defendDispute`,
  ends: {
    'waits for an answer': GOES_ON,
    'lost by decision': { acceptance: ['failed', 'inProgress'], submission: ['failed', 'failed'] },
    won: FAILS,
    'under review': FAILS,
    'accepted by somebody at the PSP': {
      acceptance: ['succeeded', 'succeeded'],
      submission: ['failed', 'failed'],
      says: 'Accepted',
    },
    'expired: nobody answered': { acceptance: ['failed', 'inProgress'], submission: ['failed', 'failed'] },
    'evidence of somebody else submitted': FAILS,
    'evidence of another client staged': { acceptance: GOES_ON.acceptance, submission: ['failed', 'inProgress'] },
    'evidence staged by a person at the PSP': 'Adyen shows that a document is there, not whether a person put it there',
  },
  skips: {
    'an empty page in the middle is passed':
      'pages are of the inbox of Recoup (test adyen list "pages without a dispute")',
    'a cap on pages is reached': 'pages are of the inbox of Recoup: it has no cap',
    'a window that is too large is halved': 'pages are of the inbox of Recoup: it has no window',
    'killed after any HTTP call': 'listing reads the inbox and makes no call',
    'repaired at the PSP, it is read within a week':
      'a notification can not be read again: a stored one is translated again with a newer translation',
    'not_an_object: the others are stored, it is kept as it came':
      'what is no object carries no signature and never gets into the inbox (test adyen notifications)',
    'an old signature is refused': 'the signature of Adyen carries no time, and deliveries are repeated for 30 days',
    'no signature, no body and no secret are refused':
      'the signature is in the body and the key is always there (test adyen notifications)',
    'of 500 mutations none is believed':
      'the signature covers eight fields: mutations of those are tested (test adyen notifications)',
  },
}
