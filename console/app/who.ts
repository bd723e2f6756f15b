import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Schemas } from '../api/operations.ts'

export type Me = Schemas['Me']

/** Who is signed in, and the merchant that the page is about. */
export interface Who {
  me: Me
  /** referenceId of the chosen merchant; undefined if the address names one that the person has not. */
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

/**
 * What to try where this merchant has no such chargeback or integration: another merchant. Empty for a person with one
 * merchant. The menu lists only the first 1,000.
 */
export const elsewhere = ({ merchants, hasMore }: Pick<Me, 'merchants' | 'hasMore'>): string => {
  if (merchants.length < 2) return ''
  const choose = 'It may be of another merchant: choose it above'
  return hasMore ? `${choose}. If it is not listed there, sign in with its own credential.` : `${choose}.`
}
