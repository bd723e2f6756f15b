import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Schemas } from '../api/operations.ts'

export type Me = Schemas['Me']

/** Who is signed in, and the merchant that the page is about. */
export interface Who {
  me: Me
  /** referenceId of the chosen merchant. */
  merchant: string | undefined
  /** Whether the service can't be reached: acts are not offered. */
  away: boolean
}

export const WhoContext = createContext<Who | null>(null)

export function useWho(): Who {
  const who = useContext(WhoContext)
  if (!who) throw new Error('A screen is shown after the sign-in only')
  return who
}

export const mayWork = ({ role }: Me) => role !== 'read'
export const mayManage = ({ role }: Me) => role === 'manage'
