import { call } from '../api/call.ts'
import type { Me } from '../app/who.ts'
import { clock } from '../parts/when.tsx'
import { requestedBy } from './data.ts'

interface Asked {
  id: string
  merchant: string | undefined
  me: Me
  /** It was there before this person's confirmation. */
  isLate: boolean
}

/** Who requested it first, when this person did not: of several requests one counts. */
export async function firstOf(what: string, { id, merchant, me, isLate }: Asked): Promise<string | undefined> {
  // The page shows it anyway, as soon as the timeline can be read.
  const told = await call('readTimeline', { params: { id }, merchant }).catch(() => null)
  const first = told?.data.findLast((event) => event.what === what)
  if (!first || (!isLate && first.after?.credentialId === me.credentialId)) return undefined
  return `It was requested already, by ${requestedBy(first) || 'somebody else'} at ${clock(first.when)}. Yours changed nothing.`
}
