import { useContext } from 'preact/hooks'
import { ZoneContext, zoneNow } from '../app/zone.ts'

/** By hand, as `figure`: nothing of the first view needs `Intl`. */
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sept', 'Oct', 'Nov', 'Dec']

const two = (number: number) => String(number).padStart(2, '0')
const isUtc = () => zoneNow() === 'UTC'
const year = (at: Date) => (isUtc() ? at.getUTCFullYear() : at.getFullYear())
const day = (at: Date) =>
  isUtc() ? `${at.getUTCDate()} ${MONTHS[at.getUTCMonth()]}` : `${at.getDate()} ${MONTHS[at.getMonth()]}`
const time = (at: Date) =>
  isUtc() ? `${two(at.getUTCHours())}:${two(at.getUTCMinutes())}` : `${two(at.getHours())}:${two(at.getMinutes())}`

/** `26 Nov 2026, 09:44` in the chosen zone: the browser's, or UTC. */
export function dateTime(when: string | number): string {
  const at = new Date(when)
  return `${day(at)} ${year(at)}, ${time(at)}`
}
export function clock(when: string | number): string {
  const at = new Date(when)
  return `${time(at)}:${two(at.getSeconds())}`
}

/** The chosen zone: at a time as `GMT+2`, for times on both sides of a change of the clocks as `Europe/Berlin`. */
export function zoneName(at?: string): string {
  if (isUtc()) return 'UTC'
  const format = new Intl.DateTimeFormat('en-GB', { timeZoneName: 'short' })
  if (at === undefined) return format.resolvedOptions().timeZone
  return format.formatToParts(new Date(at)).find(({ type }) => type === 'timeZoneName')?.value ?? ''
}

/** `26 Nov, 09:44`, with the year if it is another than now. */
function shortDateTime(when: string): string {
  const at = new Date(when)
  const isThisYear = year(at) === year(new Date())
  return isThisYear ? `${day(at)}, ${time(at)}` : dateTime(when)
}

/** A time in the chosen zone, with UTC as its title. */
export function When({ at, zoned = false, short = false }: { at: string; zoned?: boolean; short?: boolean }) {
  useContext(ZoneContext)
  return (
    <time dateTime={at} title={`${at.replace('T', ' ').replace(/\.\d+Z$/, '')} UTC`}>
      {short ? shortDateTime(at) : dateTime(at)}
      {zoned && ` ${zoneName(at)}`}
    </time>
  )
}
