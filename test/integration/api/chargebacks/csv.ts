import { expect } from 'vitest'

/** Reads CSV as RFC 4180 says, for comparison with what the service writes. */
export function parseCsv(csv: string): string[][] {
  const rows: string[][] = [[]]
  for (const [, quoted = '', end] of csv.matchAll(/"((?:[^"]|"")*)"(,|\r\n)/g)) {
    rows.at(-1)?.push(quoted.replaceAll('""', '"'))
    if (end === '\r\n') rows.push([])
  }
  expect(rows.pop()).toEqual([])
  return rows
}
