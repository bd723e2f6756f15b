/** By hand, as `figure`: nothing of the first view needs `Intl`. */
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sept', 'Oct', 'Nov', 'Dec']

const two = (number: number) => String(number).padStart(2, '0')
const day = (at: Date) => `${at.getDate()} ${MONTHS[at.getMonth()]}`
const time = (at: Date) => `${two(at.getHours())}:${two(at.getMinutes())}`

/** `26 Nov 2026, 09:44` in the browser's zone. */
export function dateTime(when: string | number): string {
  const at = new Date(when)
  return `${day(at)} ${at.getFullYear()}, ${time(at)}`
}
export function clock(when: string | number): string {
  const at = new Date(when)
  return `${time(at)}:${two(at.getSeconds())}`
}
export function zoneName(): string {
  const parts = new Intl.DateTimeFormat('en-GB', { timeZoneName: 'short' }).formatToParts(new Date())
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? ''
}

/** `26 Nov, 09:44`, with the year if it is another than now. */
function shortDateTime(when: string): string {
  const at = new Date(when)
  const isThisYear = at.getFullYear() === new Date().getFullYear()
  return isThisYear ? `${day(at)}, ${time(at)}` : dateTime(when)
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
