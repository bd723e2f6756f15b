import { useState } from 'preact/hooks'
import { mayWork, useWho } from '../../app/who.ts'
import { labelOf } from '../../parts/words.ts'
import type { Assessed, Details } from '../data.ts'
import { MissingField } from './field.tsx'
import { isTyped } from './wanted.ts'

/** Fields that are shown before the rest is asked for. */
const FIRST = 6

/** What is missing, the most useful first, each with the field to fill. */
export function MissingPanel({ chargeback, assessment }: { chargeback: Details; assessment: Assessed }) {
  const { me } = useWho()
  const [all, showAll] = useState(false)
  const { missingDataPoints: missing, compellingEvidence: compelling } = assessment
  const shown = all ? missing : missing.slice(0, FIRST)
  const open = chargeback.pspStatus === 'needs_response'
  return (
    <section class="panel" aria-labelledby="missing">
      <h2 id="missing">{missing.length === 0 ? 'Nothing is missing' : `Missing, best first (${missing.length})`}</h2>
      {missing.length > 0 && !open && (
        <p class="muted">The PSP waits for no answer ({chargeback.pspStatus}): data changes nothing there now.</p>
      )}
      <ul class="missing">
        {shown.map((name) => (
          <li key={name}>
            {mayWork(me) && open && isTyped(name) ? (
              <MissingField id={chargeback.id} name={name} />
            ) : (
              <>
                {labelOf(name)}
                {open && !isTyped(name) && (
                  <span class="muted"> comes with the transaction from your shop's system</span>
                )}
              </>
            )}
          </li>
        ))}
      </ul>
      {missing.length > shown.length && (
        <button type="button" onClick={() => showAll(true)}>
          Show {missing.length - shown.length} more
        </button>
      )}
      {compelling.applies && (
        <>
          <h3>Visa compelling evidence 3.0</h3>
          <p>{compelling.why}</p>
          {compelling.missing.length > 0 && (
            <ul>
              {compelling.missing.map((one) => (
                <li key={one}>{one}</li>
              ))}
            </ul>
          )}
        </>
      )}
    </section>
  )
}
