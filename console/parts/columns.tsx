interface Part {
  value: number
  /** Class of its colour. */
  tone: 'good' | 'bad' | 'warn' | 'muted' | 'accent'
  /** What it is, for the pointer. */
  title: string
  href: string
}

export interface Column {
  label: string
  /** From the bottom up. */
  parts: readonly Part[]
}

const HEIGHT = 100

/**
 * Stacked columns. Hidden from screen readers and from the Tab key: the table with the same figures and links is behind each
 * picture.
 * @param format of the sum above a column
 */
export function Columns({ columns, format }: { columns: readonly Column[]; format: (value: number) => string }) {
  const sumOf = ({ parts }: Column) => parts.reduce((sum, { value }) => sum + value, 0)
  const most = Math.max(...columns.map(sumOf), 0)
  return (
    <div class="columns" aria-hidden="true">
      {columns.map((column) => (
        <div key={column.label}>
          <span class="sum">{sumOf(column) > 0 ? format(sumOf(column)) : ''}</span>
          <svg viewBox={`0 0 10 ${HEIGHT}`} preserveAspectRatio="none">
            <title>{column.label}</title>
            {stacked(column.parts, most).map(({ part, y, height }) => (
              <a key={part.title} href={part.href} tabindex={-1}>
                <rect class={part.tone} x="0" y={y} width="10" height={height}>
                  <title>{part.title}</title>
                </rect>
              </a>
            ))}
          </svg>
          <span class="label">{column.label}</span>
        </div>
      ))}
    </div>
  )
}

function stacked(parts: readonly Part[], most: number) {
  let top = HEIGHT
  return parts.flatMap((part) => {
    if (most === 0 || part.value <= 0) return []
    const height = (part.value / most) * HEIGHT
    top -= height
    return [{ part, y: top, height }]
  })
}
