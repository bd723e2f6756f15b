const date = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' })
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' })
const time = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })
const seconds = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })
const zone = new Intl.DateTimeFormat('en-GB', { timeZoneName: 'short' })

/** `26 Nov 2026, 09:44` in the browser's zone. */
export const dateTime = (at: string | number) => `${date.format(new Date(at))}, ${time.format(new Date(at))}`
export const clock = (at: string | number) => seconds.format(new Date(at))
export const zoneName = () => zone.formatToParts(new Date()).find(({ type }) => type === 'timeZoneName')?.value ?? ''

/** `26 Nov, 09:44`, with the year if it is another than now. */
function shortDateTime(at: string): string {
  const isThisYear = new Date(at).getFullYear() === new Date().getFullYear()
  return isThisYear ? `${day.format(new Date(at))}, ${time.format(new Date(at))}` : dateTime(at)
}

/** A time in the browser's zone, with UTC as its title. */
export function When({ at, zoned = false, short = false }: { at: string; zoned?: boolean; short?: boolean }) {
  return (
    <time dateTime={at} title={`${at.replace('T', ' ').replace(/\.\d+Z$/, '')} UTC`}>
      {short ? shortDateTime(at) : dateTime(at)}
      {zoned && ` ${zoneName()}`}
    </time>
  )
}
