import type { Schemas } from '../api/operations.ts'
import { Foreign } from '../parts/foreign.tsx'
import { labelOf } from '../parts/words.ts'

type Parts = Pick<Schemas['EvidencePlan'], 'dropped' | 'shortened' | 'converted'>

/** What of the evidence is not sent, or sent otherwise. */
export function LeftOut({ dropped = [], shortened = [], converted }: Parts) {
  if (dropped.length === 0 && shortened.length === 0 && !converted) return null
  return (
    <ul class="left-out">
      {dropped.map(({ what, why }) => (
        <li key={`${what} ${why}`}>
          Not sent: <Foreign text={labelOf(what)} /> — <Foreign text={why} />
        </li>
      ))}
      {shortened.map(({ field, from, to }) => (
        <li key={field}>
          Shortened: {labelOf(field)}, from {from} to {to} characters
        </li>
      ))}
      {converted && (
        <li>
          Converted from <Foreign text={converted.from} /> to <Foreign text={converted.to} />
        </li>
      )}
    </ul>
  )
}
