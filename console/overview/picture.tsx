import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

interface PictureProps {
  title: string
  /** What is counted, in a sentence. */
  about: string
  picture: ComponentChildren
  /** Headings of the table; all but the first are of figures. */
  headings: readonly string[]
  rows: readonly (readonly ComponentChildren[])[]
  /** Why there are no rows. */
  nothing: string
}

/** A picture, and the table with its figures behind it. */
export function Picture({ title, about, picture, headings, rows, nothing }: PictureProps) {
  const id = useId()
  return (
    <section class="panel picture" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <p class="muted">{about}</p>
      {rows.length === 0 ? (
        <p>{nothing}</p>
      ) : (
        <>
          {picture}
          <details>
            <summary>
              Figures<span class="visually-hidden"> of {title}</span>
            </summary>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways on small windows */}
            <section class="scrolls" tabIndex={0} aria-label={`Figures: ${title}`}>
              <table>
                <thead>
                  <tr>
                    {headings.map((name, index) => (
                      <th key={name} scope="col" class={index > 0 ? 'figure' : undefined}>
                        {name}
                      </th>
                    ))}
                  </tr>
                </thead>
                <tbody>
                  {rows.map((cells, row) => (
                    <tr key={row}>
                      {cells.map((cell, index) =>
                        index === 0 ? (
                          <th key={headings[index]} scope="row">
                            {cell}
                          </th>
                        ) : (
                          <td key={headings[index]} class="figure">
                            {cell}
                          </td>
                        ),
                      )}
                    </tr>
                  ))}
                </tbody>
              </table>
            </section>
          </details>
        </>
      )}
    </section>
  )
}
