/** Spreadsheets take a cell that begins so for a formula. @see OWASP, CSV Injection */
const FORMULA = /^[=+\-@\t\r]/

/** A cell in quotes. Text that a spreadsheet would run gets an apostrophe in front; numbers stay as they are. */
function cell(value: unknown): string {
  if (value === undefined) return '""'
  const text = String(value)
  const harmless = typeof value === 'string' && FORMULA.test(text) ? `'${text}` : text
  return `"${harmless.replaceAll('"', '""')}"`
}

/** A line of a CSV file. @see RFC 4180 */
export const csvLine = (values: readonly unknown[]) => `${values.map(cell).join(',')}\r\n`
