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

/** Every shown time depends on it, because a row of a list is not rendered again when only the zone changes. */
export const ZoneContext = createContext<Zone>(current)
