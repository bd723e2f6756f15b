/**
 * Digits of the minor unit by ISO 4217 (list one, codes in use in 2026). Funds codes are included; metals, test codes
 * and units of account have no minor unit and are absent. ANG and BGN were withdrawn in 2025 and 2026, but disputes
 * about payments in them still arrive. PSPs deviate (Stripe: ISK and UGX with 2 digits): that is each adapter's table.
 */
const EXPONENTS: Record<number, string> = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
  2:
    'AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF ' +
    'CHW CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF ' +
    'IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN ' +
    'MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS ' +
    'SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XAD XCD XCG YER ZAR ZMW ' +
    'ZWG',
  3: 'BHD IQD JOD KWD LYD OMR TND',
  4: 'CLF UYW',
}

export type CurrencyExponent = 0 | 2 | 3 | 4

const BY_CODE = new Map<string, CurrencyExponent>(
  Object.entries(EXPONENTS).flatMap(([exponent, codes]) =>
    codes.split(' ').map((code): [string, CurrencyExponent] => [code, Number(exponent) as CurrencyExponent]),
  ),
)

/** Every currency known, sorted. */
export const CURRENCIES: readonly string[] = [...BY_CODE.keys()].sort()

/** Digits of the minor unit; undefined when it is not an ISO 4217 code in upper case. */
export function currencyExponent(code: string): CurrencyExponent | undefined {
  return BY_CODE.get(code)
}

export function isCurrency(code: string): boolean {
  return BY_CODE.has(code)
}

/**
 * Minor units of a plain decimal such as "10.99" or "-5", without floating point.
 * @param exponent digits of the minor unit, 0 to 4
 * @throws RangeError when the text is not a plain decimal or has a fraction of a minor unit
 */
export function decimalToMinor(text: string, exponent: number): bigint {
  checkExponent(exponent)
  const parts = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text)
  if (!parts) throw new RangeError('An amount must be a plain decimal such as 10.99')
  const [, sign = '', whole = '', fraction = ''] = parts
  const digits = fraction.replace(/0+$/, '')
  if (digits.length > exponent) throw new RangeError(`An amount must not have more than ${exponent} decimal places`)
  return BigInt(`${sign}${whole}${digits.padEnd(exponent, '0')}`)
}

/**
 * The decimal without trailing zeros ("10.99", "5", "-0.5"), exactly like Postgres' `trim_scale`, because lists are
 * rendered in Postgres and single reads here.
 */
export function minorToDecimal(minor: bigint, exponent: number): string {
  checkExponent(exponent)
  const sign = minor < 0n ? '-' : ''
  const digits = (minor < 0n ? -minor : minor).toString().padStart(exponent + 1, '0')
  const whole = digits.slice(0, digits.length - exponent)
  const fraction = digits.slice(digits.length - exponent).replace(/0+$/, '')
  return fraction ? `${sign}${whole}.${fraction}` : `${sign}${whole}`
}

/**
 * Compares an amount with a bound from a JSON number: negative when the amount is smaller, 0 when equal. The bound
 * counts as its shortest decimal, so 0.1 is a tenth.
 * @param bound finite and not negative
 */
export function compareAmount(minor: bigint, exponent: number, bound: number): number {
  checkExponent(exponent)
  const parts = /^(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(bound))
  if (!parts) throw new RangeError('A bound must be a finite number that is not negative')
  const [, whole = '', fraction = '', power = '0'] = parts
  const places = fraction.length - Number(power)
  const scale = Math.max(places, exponent)
  const amount = minor * 10n ** BigInt(scale - exponent)
  const limit = BigInt(whole + fraction) * 10n ** BigInt(scale - places)
  return amount < limit ? -1 : amount > limit ? 1 : 0
}

function checkExponent(exponent: number): void {
  if (!Number.isInteger(exponent) || exponent < 0 || exponent > 4)
    throw new RangeError('An exponent must be a whole number from 0 to 4')
}
