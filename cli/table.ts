import { isUuid } from '../domain/ids.ts'

/** Width of a line of a list, in characters. */
export const WIDTH = 100

const GAP = 2
/** Longer texts are broken into lines of at least this width. */
const LEAST_TEXT = 24

/** Header → field of the row, the most important first. Headers may have several words. */
export type Columns = Readonly<Record<string, string>>

interface Column {
  field: string
  header: string
  cells: string[]
  /** Width without line breaks. */
  natural: number
  /** The smallest width that is still readable. */
  least: number
}

/** A value of a row or of a record. Dates in UTC; control characters of a PSP's text never reach the terminal. */
export function shown(value: unknown): string {
  if (value === null || value === undefined) return '–'
  if (value instanceof Date) return value.toISOString()
  return (typeof value === 'object' ? JSON.stringify(value) : String(value)).replaceAll(/\p{C}+/gu, ' ')
}

const short = (value: unknown) =>
  value instanceof Date ? value.toISOString().slice(0, 16).replace('T', ' ') : shown(value)

/** The text in lines of at most `width` characters, broken at spaces where there are some; further lines are indented. */
export function wrapped(text: string, width: number, indent: string): string[] {
  if (text.length <= width) return [text]
  const space = text.slice(0, width + 1).lastIndexOf(' ')
  const at = space > indent.length * 2 ? space : width
  return [text.slice(0, at).trimEnd(), ...wrapped(indent + text.slice(at).trimStart(), width, indent)]
}

/**
 * Rows as a table of at most 100 columns: ids are never broken, texts and times are, and fields without room are named
 * below. `wide` prints every field on one line, however long.
 */
export function table(rows: object[], { columns, wide = false }: { columns?: Columns | undefined; wide?: boolean }) {
  if (rows.length === 0) return 'none'
  const fields = Object.keys(rows[0] as object)
  if (wide) return lines(fields.map((field) => column(field, field, rows, shown))).join('\n')
  const wanted = columns ?? Object.fromEntries(fields.map((field) => [field, field]))
  const kept: (Column & { width: number })[] = []
  let free = WIDTH
  for (const [header, field] of Object.entries(wanted)) {
    const found = column(header, field, rows, short)
    const gap = kept.length > 0 ? GAP : 0
    if (kept.length > 0 && found.least + gap > free) continue
    const width = Math.min(found.least, WIDTH)
    kept.push({ ...found, width })
    free -= width + gap
  }
  for (const one of kept) {
    const more = Math.max(Math.min(one.natural - one.width, free), 0)
    one.width += more
    free -= more
  }
  const missing = fields.filter((field) => !kept.some((one) => one.field === field))
  const below = `Not shown: ${missing.join(', ')}. --wide and --json have them.`
  return [...lines(kept), ...(missing.length > 0 ? ['', ...wrapped(below, WIDTH, '')] : [])].join('\n')
}

function column(header: string, field: string, rows: object[], text: (value: unknown) => string): Column {
  const values = rows.map((row) => row[field as keyof typeof row] as unknown)
  const cells = values.map(text)
  const natural = Math.max(header.length, ...cells.map((cell) => cell.length))
  const word = Math.max(...header.split(' ').map(({ length }) => length))
  const longest = Math.max(...cells.map((cell) => cell.length))
  const isDate = values.some((value) => value instanceof Date)
  const body = isDate ? '2027-01-31'.length : cells.some(isUuid) ? longest : Math.min(longest, LEAST_TEXT)
  return { field, header, cells, natural, least: Math.max(word, body) }
}

function lines(columns: (Column & { width?: number })[]): string[] {
  const heights = [...(columns[0]?.cells ?? []).keys()]
  const row = (cell: (column: Column) => string) => {
    const parts = columns.map((one) => wrapped(cell(one), one.width ?? Number.POSITIVE_INFINITY, ''))
    const height = Math.max(...parts.map(({ length }) => length))
    return Array.from({ length: height }, (_, at) =>
      columns
        .map(({ natural, width = natural }, index) => (parts[index]?.[at] ?? '').padEnd(width))
        .join(' '.repeat(GAP))
        .trimEnd(),
    )
  }
  return [row(({ header }) => header), ...heights.map((at) => row(({ cells }) => cells[at] as string))].flat()
}
