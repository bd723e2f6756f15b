import { PspError } from '../errors.ts'

/** Validation codes that affect decisions here (SDK: validation_error_codes). */
export const CODE = {
  evidenceOnlyWhileOpen: '95701',
  removeOnlyWhileOpen: '95702',
  acceptOnlyWhileOpen: '95704',
  finalizeOnlyWhileOpen: '95705',
} as const

/** The dispute's state forbids it: read it again before reporting. */
export const STATE_CODES: readonly string[] = [
  CODE.evidenceOnlyWhileOpen,
  CODE.removeOnlyWhileOpen,
  CODE.acceptOnlyWhileOpen,
  CODE.finalizeOnlyWhileOpen,
]

/** The category is not allowed: the same content is sent as GENERAL. */
export const CATEGORY_CODES: readonly string[] = ['95706', '95711', '95712', '95713', '95714']

const SENTENCES: Readonly<Record<string, string>> = {
  '84901': 'Braintree refused the purpose of the file.',
  '84902': 'Braintree takes files of at most 4 MB as evidence.',
  '84903': 'Braintree takes PDF, JPEG and PNG files as evidence.',
  '84904': 'Braintree found the file malformed or encrypted. Send an unprotected copy.',
  '84905': 'Braintree takes PDF files of at most 50 pages.',
  '84906': 'The file is empty.',
  '95701': 'Braintree takes evidence only while the dispute is open.',
  '95702': 'Braintree lets evidence be removed only while the dispute is open.',
  '95703': 'Braintree does not know the uploaded document any more. Upload it again.',
  '95704': 'Braintree lets a dispute be accepted only while it is open.',
  '95705': 'Braintree lets a dispute be finalized only while it is open.',
  '95706': 'Braintree has no such category of evidence.',
  '95707': 'A date among the evidence is not valid. Send it as YYYY-MM-DD.',
  '95708': 'A text among the evidence is too long. Shorten it.',
  '95709': 'An ARN among the evidence is too long: it has 23 digits.',
  '95710': 'A phone number among the evidence is too long.',
  '95711': 'Braintree takes this category for texts only.',
  '95712': 'Braintree takes this category for documents only.',
  '95713': 'Braintree takes no evidence of this category for the reason of this dispute.',
  '95714': 'The dispute has evidence of this category already.',
  '95715': 'An e-mail address among the evidence is not valid.',
  '95720': 'Evidence of a digital good is incomplete: add what belongs to the device or the download.',
  '95721': 'Evidence of a digital good lacks the date of the download.',
  '95722': 'Evidence of an earlier payment lacks its ARN.',
  '95723': 'Evidence of an earlier payment lacks its date and time.',
  '95724': 'Evidence of a recurring payment lacks its date and time.',
  '95725': 'Evidence of a recurring payment lacks its ARN.',
  '95726': 'Braintree wants evidence before it takes the answer. Add a document.',
  '95727': 'Evidence of an earlier payment needs one more detail of that payment.',
}

/** HTTP 422: Braintree rejected the request, so nothing was applied. `codes` are Braintree's. */
export class Refusal extends PspError {
  readonly codes: readonly string[]

  constructor(codes: readonly string[]) {
    const known = codes.flatMap((code) => SENTENCES[code] ?? []).slice(0, 3)
    const shown = codes.length > 0 ? ` (code ${codes.slice(0, 3).join(', ')})` : ''
    super('invalid_request', known.join(' ') || `Braintree refused the request as invalid${shown}.`)
    this.codes = codes
  }

  has(codes: readonly string[]): boolean {
    return this.codes.some((code) => codes.includes(code))
  }
}

/** Codes at every depth; empty when there is no error list. Never Braintree's texts: they repeat values. */
export function codesOf(errors: unknown): string[] {
  const codes: string[] = []
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    const { code } = value as { code?: unknown }
    if (typeof code === 'string' && /^\d{5,6}$/.test(code) && !codes.includes(code)) codes.push(code)
    for (const inner of Object.values(value)) visit(inner)
  }
  visit(errors)
  return codes
}
