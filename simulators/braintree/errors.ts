import { childrenOf, document, element } from './xml.ts'

/** An error response of Braintree. */
export class BraintreeRefusal extends Error {
  readonly status: number
  readonly body: string

  constructor(status: number, body = '') {
    super(`status ${status}`)
    this.status = status
    this.body = body
  }
}

const MESSAGES: Readonly<Record<string, string>> = {
  '84901': 'Kind is invalid.',
  '84902': 'File size is limited to 4 MB.',
  '84903': 'Only PNG, JPG, JPEG, and PDF files are accepted.',
  '84904': 'Malformed or encrypted files are not accepted',
  '84905': 'PDF page length is limited to 50 pages',
  '84906': 'File cannot be empty.',
  '95701': 'Evidence can only be attached to disputes that are in an Open state',
  '95702': 'Evidence can only be removed from disputes that are in an Open state',
  '95703': 'Document Upload ID is invalid',
  '95704': 'Disputes can only be accepted when they are in an Open state',
  '95705': 'Disputes can only be finalized when they are in an Open state',
  '95706': 'Category is invalid',
  '95707': 'Evidence date is invalid',
  '95708': 'Evidence content is too long',
  '95709': 'Evidence ARN is too long',
  '95710': 'Evidence phone number is too long',
  '95711': 'Category can only be used for text evidence',
  '95712': 'Category can only be used for document evidence',
  '95715': 'Evidence email address is invalid',
  '95720': 'Digital goods evidence is missing',
  '95721': 'Digital goods evidence is missing the download date',
  '95722': 'Evidence of the prior non-disputed transaction is missing its ARN',
  '95723': 'Evidence of the prior non-disputed transaction is missing its date and time',
  '95724': 'Evidence of the recurring transaction is missing its date and time',
  '95725': 'Evidence of the recurring transaction is missing its ARN',
  '95726': 'Valid evidence is required to finalize the dispute',
  '95727': 'Optional evidence of the prior non-disputed transaction is required',
}

/** HTTP 422 with validation errors at `node.attribute`; every list of errors is an array, or the SDK would crash. */
export function invalid(codes: string | readonly string[], attribute: string, node = 'dispute'): BraintreeRefusal {
  const messages: string[] = []
  const list = [codes].flat().map((code) => {
    const message = MESSAGES[code] ?? 'The value is invalid.'
    messages.push(message)
    return `<error><code>${code}</code><attribute type="symbol">${attribute}</attribute>${element('message', message)}</error>`
  })
  const errors = `<errors><errors type="array"/><${node}><errors type="array">${list.join('')}</errors></${node}></errors>`
  return new BraintreeRefusal(422, errorDocument(errors, messages.join('\n')))
}

/** HTTP 422 about the request itself: an unknown criterion, or an invalid body. */
export function malformedRequest(message: string): BraintreeRefusal {
  return new BraintreeRefusal(422, errorDocument('<errors><errors type="array"/></errors>', message))
}

function errorDocument(errors: string, message: string): string {
  return document(`<api-error-response>${errors}<params/>${childrenOf({ message })}</api-error-response>`)
}
