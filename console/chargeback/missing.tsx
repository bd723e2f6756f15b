import { useId, useRef, useState } from 'preact/hooks'
import { call } from '../api/call.ts'
import { CallFailure } from '../api/failure.ts'
import { mayWork, useWho } from '../app/who.ts'
import { announce } from '../parts/announce.tsx'
import { inputOf, labelOf } from '../parts/words.ts'
import { type Assessed, type Details, readAgain } from './data.ts'

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
        <p class="muted">The chargeback is closed at the PSP: data changes nothing now.</p>
      )}
      <ul class="missing">
        {shown.map((name) => (
          <li key={name}>{mayWork(me) && open ? <MissingField id={chargeback.id} name={name} /> : labelOf(name)}</li>
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

/** One data point: a PATCH for each save, and the merged answer is read again. */
export function MissingField({ id, name }: { id: string; name: string }) {
  const { merchant, away } = useWho()
  const field = useId()
  const input = useRef<HTMLInputElement & HTMLSelectElement>(null)
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()
  const [key, setKey] = useState(() => crypto.randomUUID())
  const kind = inputOf(name)

  async function save(event: Event) {
    event.preventDefault()
    if (busy || away) return
    const text = input.current?.value.trim() ?? ''
    if (text === '') {
      setProblem('Fill the field first.')
      input.current?.focus()
      return
    }
    setBusy(true)
    setProblem(undefined)
    try {
      const value = kind === 'yes-no' ? text === 'yes' : text
      await call('updateChargeback', { params: { id }, body: { [name]: value }, key, merchant })
      announce(`${labelOf(name)} is saved`)
      await readAgain(id)
    } catch (error) {
      // After a lost answer the same key is used again; after a refusal the request changes.
      if (!(error instanceof CallFailure && error.status === 0)) setKey(crypto.randomUUID())
      setProblem((error as Error).message)
    }
    setBusy(false)
  }

  const described = problem ? `${field}-problem` : undefined
  return (
    <form class="field" onSubmit={save} noValidate>
      <label for={field}>{labelOf(name)}</label>
      {kind === 'yes-no' ? (
        <select id={field} ref={input} aria-describedby={described}>
          <option value="">–</option>
          <option value="yes">yes</option>
          <option value="no">no</option>
        </select>
      ) : (
        <input
          id={field}
          ref={input}
          {...(kind === 'date' ? { type: 'date' } : { type: 'text' })}
          maxLength={10_000}
          autoComplete="off"
          aria-describedby={described}
        />
      )}
      <button type="submit" aria-disabled={busy || away} aria-label={`Save ${labelOf(name)}`}>
        {busy ? 'Saving…' : 'Save'}
      </button>
      {problem && (
        <p id={`${field}-problem`} class="bad" role="alert">
          {problem}
        </p>
      )}
    </form>
  )
}
