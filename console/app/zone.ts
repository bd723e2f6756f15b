import { createContext } from 'preact'
import { store, stored } from './stored.ts'

export const ZONES = ['of this browser', 'UTC'] as const
export type Zone = (typeof ZONES)[number]

const SETTING = 'recoup.zone'
let current: Zone = stored(SETTING) === 'UTC' ? 'UTC' : 'of this browser'

/** The zone that times are shown in. */
export const zoneNow = () => current

/** @returns whether the browser keeps it */
export function chooseZone(zone: Zone): boolean {
  current = zone
  return store(SETTING, zone === 'UTC' ? zone : null)
}

/** Times that are shown are written again when it changes: rows of a list are rendered only when they change themselves. */
export const ZoneContext = createContext<Zone>(current)
