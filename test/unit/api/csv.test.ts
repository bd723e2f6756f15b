import { expect, test } from 'vitest'
import { csvLine } from '../../../api/routes/chargebacks/csv.ts'

test.each([
  [['a', undefined, 1.5, true], '"a","","1.5","true"'],
  [['say "hi", you', 'two\nlines'], '"say ""hi"", you","two\nlines"'],
  [['=1+1', '+1', '-1', '@sum', '\tx', '\rx'], `"'=1+1","'+1","'-1","'@sum","'\tx","'\rx"`],
  // Amounts may be negative, and are no formulas.
  [[-5.25, 'a=b'], '"-5.25","a=b"'],
])('%j', (values, line) => {
  expect(csvLine(values)).toBe(`${line}\r\n`)
})
