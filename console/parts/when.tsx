const date = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' })
const time = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })
const seconds = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })
const zone = new Intl.DateTimeFormat('en-GB', { timeZoneName: 'short' })

/** `26 Nov 2026, 09:44` in the browser's zone. */
export const dateTime = (at: string | number) => `${date.format(new Date(at))}, ${time.format(new Date(at))}`
export const clock = (at: string | number) => seconds.format(new Date(at))
export const zoneName = () => zone.formatToParts(new Date()).find(({ type }) => type === 'timeZoneName')?.value ?? ''

/** A time in the browser's zone, with UTC as its title. */
export function When({ at, zoned = false }: { at: string; zoned?: boolean }) {
  return (
    <time dateTime={at} title={`${at.replace('T', ' ').replace(/\.\d+Z$/, '')} UTC`}>
      {dateTime(at)}
      {zoned && ` ${zoneName()}`}
    </time>
  )
}
