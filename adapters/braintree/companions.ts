import { malformed } from './evidence-limits.ts'

/** Texts that Braintree accepts only with others (Braintree docs, Evidence categories; codes 95720 to 95727). */

interface Packet {
  texts: Readonly<Record<string, string>>
  /** Categories of the documents. */
  files: readonly string[]
}

const PRIOR = 'PRIOR_NON_DISPUTED_TRANSACTION_'
const PRIOR_DETAILS = ['EMAIL_ADDRESS', 'IP_ADDRESS', 'PHONE_NUMBER', 'PHYSICAL_ADDRESS'].map((name) => PRIOR + name)
const DIGITAL = 'PRIOR_DIGITAL_GOODS_TRANSACTION_'
const RECURRING = 'RECURRING_TRANSACTION_'

/** Texts to leave out, each with its missing companion: Braintree would refuse the whole submission because of them. */
export function incomplete({ texts, files }: Packet): Map<string, string> {
  const found = new Map<string, string>()
  const has = (...names: string[]) => names.every((name) => texts[name] !== undefined)
  const drop = (names: readonly string[], why: string) => {
    for (const name of names) if (has(name)) found.set(name, why)
  }

  if (has('DEVICE_ID') !== has('DEVICE_NAME')) {
    drop(['DEVICE_ID', 'DEVICE_NAME'], 'DEVICE_ID and DEVICE_NAME belong together')
  }
  if (has('DOWNLOAD_DATE_TIME')) {
    const companions = [
      has('DEVICE_ID', 'DEVICE_NAME'),
      files.includes('MERCHANT_WEBSITE_OR_APP_ACCESS'),
      files.includes('PROFILE_SETUP_OR_APP_ACCESS'),
      has(`${DIGITAL}ID`, `${DIGITAL}DATE_TIME`),
      has('PURCHASER_IP_ADDRESS', 'GEOGRAPHICAL_LOCATION'),
      has('PURCHASER_NAME', 'PURCHASER_EMAIL_ADDRESS'),
    ].filter(Boolean).length
    if (companions < 2) drop(['DOWNLOAD_DATE_TIME'], 'a download needs two more facts of the purchaser or the device')
  }
  // 95720, 95721: device and download data require the date of the download.
  if (!has('DOWNLOAD_DATE_TIME') || found.has('DOWNLOAD_DATE_TIME')) {
    drop(['DEVICE_ID', 'DEVICE_NAME'], 'it needs DOWNLOAD_DATE_TIME and one more fact about the download')
  }
  const priorComplete = has(`${PRIOR}ID`, `${PRIOR}DATE_TIME`) && PRIOR_DETAILS.some((name) => has(name))
  if (has(`${PRIOR}ARN`, `${PRIOR}DATE_TIME`)) {
    if (!priorComplete) drop([`${PRIOR}ID`], 'the id of an earlier payment needs one more detail of it')
  } else if (!priorComplete) {
    const all = ['ID', 'ARN', 'DATE_TIME'].map((name) => PRIOR + name)
    drop([...all, ...PRIOR_DETAILS], 'an earlier payment needs its id, its date and one more detail, or ARN and date')
  }
  if (!has(`${RECURRING}ARN`, `${RECURRING}DATE_TIME`)) {
    drop(
      ['ARN', 'DATE_TIME', 'ID'].map((name) => RECURRING + name),
      'a recurring payment needs both its ARN and its date and time',
    )
  }
  return found
}

/** All texts that Braintree would refuse. Malformed ones first: a companion that is not sent completes nothing. */
export function refusedTexts(texts: Packet['texts'], files: Packet['files']): (readonly [string, string])[] {
  const wrong = malformed(texts)
  const left = Object.fromEntries(Object.entries(texts).filter(([name]) => !wrong.some(([one]) => one === name)))
  return [...wrong, ...incomplete({ texts: left, files })]
}
