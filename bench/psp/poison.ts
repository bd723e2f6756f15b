/** Ways in which a dispute may be malformed while its page remains JSON; each keeps the id. */
const WAYS: readonly ((text: string) => string)[] = [
  (text) => text.replace(/"amount":\d+/, '"amount":"many"'),
  (text) => text.replace(/"status":"\w+"/, '"status":null'),
  (text) => text.replace(/"currency":"\w+"/, '"currency":"doubloons"'),
  (text) => text.replace(/"created":\d+/, '"created":1e99'),
  (text) => text.replace(/"reason":"\w+"/, '"reason":"\\u0000"'),
  (text) => text.replace(/"evidence_details":\{/, '"evidence_details":7,"was":{'),
]

/** Makes every so many disputes malformed, each in another way. */
export function malformOne(every: number): (text: string, number: number) => string {
  return (text, number) => {
    if (number % every !== every - 1) return text
    return (WAYS[Math.floor(number / every) % WAYS.length] as (text: string) => string)(text)
  }
}
