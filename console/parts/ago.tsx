import { useContext, useEffect, useState } from 'preact/hooks'
import { serverNow } from '../api/connection.ts'
import { ZoneContext } from '../app/zone.ts'
import { dateTime } from './when.tsx'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Time since in words: seconds, minutes, hours below two days, then days. @param now of the server, ms */
export function timeAgo(at: string, now: number): string {
  const passed = Math.max(0, now - Date.parse(at))
  if (passed < MINUTE) return `${Math.floor(passed / 1_000)} s ago`
  if (passed < HOUR) return `${Math.floor(passed / MINUTE)} min ago`
  if (passed < 2 * DAY) return `${Math.floor(passed / HOUR)} h ago`
  return `${Math.floor(passed / DAY)} d ago`
}

/** How long ago, counted on while it is shown; the time itself is the title. */
export function Ago({ at }: { at: string }) {
  useContext(ZoneContext)
  const [, tick] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => tick((count) => count + 1), 10_000)
    return () => clearInterval(timer)
  }, [])
  return (
    <time dateTime={at} title={dateTime(at)}>
      {timeAgo(at, serverNow())}
    </time>
  )
}
