import { addressesIn, normal } from './accounts/addresses.ts'

/**
 * Removes a person from a PSP object. Everything that the service computes with stays: ids, amounts, dates, statuses,
 * reasons, countries. Members that describe a person become null.
 */

/** A recognisable person, from plain text or from hashes. Phrases are in the form of `phrases`. */
export interface Person {
  isAddress(address: string): boolean
  isFirstName(phrase: string): boolean
  isLastName(phrase: string): boolean
}

/** Maximum number of words in a first or last name. */
const NAME_WORDS = 4

export function person(who: { email: string; firstName: string; lastName: string }): Person {
  const addresses = new Set(addressesIn(who.email))
  const [first, last] = [words(who.firstName).join(' '), words(who.lastName).join(' ')]
  return {
    isAddress: (address) => addresses.has(address),
    isFirstName: (phrase) => phrase === first,
    isLastName: (phrase) => phrase === last,
  }
}

/** The name in the form that `isFirstName` and `isLastName` compare: lower case, without accents, words separated. */
export const namePhrase = (name: string): string => words(name).join(' ')

const words = (text: string): string[] =>
  normal(text)
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)

/** Every sequence of one to four words. */
function phrases(text: string): string[] {
  const all = words(text)
  return all.flatMap((_, from) =>
    Array.from({ length: Math.min(NAME_WORDS, all.length - from) }, (_, more) =>
      all.slice(from, from + more + 1).join(' '),
    ),
  )
}

/**
 * Whether the text is about the person: it contains the e-mail address and, if there is a name next to it, both names.
 * In JSON, "next to" means in the same object; the person's names may be anywhere in the text, because an order has a
 * payer and a recipient.
 */
export function isAbout(text: string, who: Person): boolean {
  if (!addressesIn(text).some(who.isAddress)) return false
  const { beside, anywhere } = namesIn(text, who)
  if (beside.length === 0) return true
  const all = anywhere.flatMap(phrases)
  return all.some(who.isFirstName) && all.some(who.isLastName)
}

const NAME_KEY =
  /^((first|last|given|family|full|middle|sur|customer|shopper|cardholder|holder|buyer|payer|owner|recipient|accountholder|billing|shipping)name|name|surname)$/

/** Names in JSON text: all, and those next to the person's address. None for other text. */
function namesIn(text: string, who: Person): { beside: string[]; anywhere: string[] } {
  const found = { beside: [] as string[], anywhere: [] as string[] }
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    const members = Object.entries(value).map(([key, one]) => [plainKey(key), one] as const)
    const names = members.flatMap(([key, one]) => (NAME_KEY.test(key) ? stringsIn(one) : []))
    found.anywhere.push(...names)
    if (members.some(([, one]) => strings(one).some((own) => holds(own, who)))) found.beside.push(...names)
    for (const [, one] of members) visit(one)
  }
  try {
    visit(JSON.parse(text))
  } catch {
    // Not JSON: names can't be identified.
  }
  return found
}

/** A string, or the strings of a list. */
const strings = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).filter((one) => typeof one === 'string')

/** A string, or the strings of an object, because a name may have parts. */
const stringsIn = (value: unknown): string[] =>
  typeof value === 'object' && value !== null ? Object.values(value).flatMap(strings) : strings(value)

const plainKey = (key: string) => key.toLowerCase().replaceAll(/[^a-z0-9]/g, '')

/** Members that describe a person, by the PSPs' and operation 1's names. Regions and countries stay. */
const PERSONAL =
  /mail|phone|mobile|telephone|fax|firstname|lastname|givenname|familyname|middlename|surname|fullname|username|nickname|displayname|payername|buyername|customername|shoppername|cardholdername|holdername|ownername|recipientname|recipient$|accountholder|^name$|street|addressline|address[12]$|^line[123]$|postal|postcode|zip|city$|locality|adminarea2|receipturl|trackingnumber|uniquenumberidentifier|extendedaddress|fullshippingaddress|^(billing|shipping|customer)address$|ipaddress|purchaseip|shopperip|customerip|^ip$|useragent|deviceid|fingerprint|birth|^dob$|ssn$|taxid|nationalid|passport|steamid|picture|customersignature/
/** … except results of a check. */
const ABOUT_A_CHECK = /(check|checked|result|verified|match|status|type|provided|avs|reason)$/
/** Members with enumeration values, some of which are names too. */
const VOCABULARY =
  /(status|state|stage|type|reason|brand|network|scheme|currency|code|outcome|object|kind|event|success|method|country|id|reference|created|date|at)$/

const isPersonal = (key: string) => PERSONAL.test(key) && !ABOUT_A_CHECK.test(key)

const STRING = /"(?:[^"\\]|\\.)*"/gs

/**
 * The text without the person. JSON keeps its structure and everything else, byte by byte; other text is removed
 * completely, because a person in it can't be located.
 */
export function redact(text: string, who: Person): string {
  if (text === '' || !isJson(text)) return ''
  let key = ''
  return text.replaceAll(STRING, (token, at: number) => {
    const value = JSON.parse(token) as string
    if (/^\s*:/.test(text.slice(at + token.length, at + token.length + 20))) {
      key = plainKey(value)
      return holds(value, who) ? '"[erased]"' : token
    }
    if (isPersonal(key)) return 'null'
    if (/^\s*[[{]/.test(value) && isJson(value)) return JSON.stringify(redact(value, who))
    return holds(value, who) || names(value, key, who) ? 'null' : token
  })
}

const holds = (value: string, who: Person) => value.includes('@') && addressesIn(value).some(who.isAddress)

function names(value: string, key: string, who: Person): boolean {
  const all = phrases(value)
  if (all.length === 1 && VOCABULARY.test(key)) return false
  return all.some((phrase) => who.isFirstName(phrase) || who.isLastName(phrase))
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
