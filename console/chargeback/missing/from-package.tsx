import { mayWork, useWho } from '../../app/who.ts'
import { labelOf } from '../../parts/words.ts'
import type { Details, Draft } from '../data.ts'
import { MissingField } from './field.tsx'
import { isTyped, wantedOf } from './wanted.ts'

interface MissingProps {
  chargeback: Details
  draft: Draft
  /** The person wants to add a file of this kind. */
  onKind: (kind: string) => void
}

/** What the package lacks: what must be sent first, each with the field to fill or the file to add. */
export function MissingFromPackage({ chargeback, draft, onKind }: MissingProps) {
  const { me } = useWho()
  const { requiredMissing, missing } = draft
  const fillable = mayWork(me) && chargeback.pspStatus === 'needs_response' && draft.state !== 'frozen'
  const all = [
    ...requiredMissing.map((text) => ({ text, must: true })),
    ...missing.map((text) => ({ text, must: false })),
  ]
  if (all.length === 0)
    return (
      <section class="panel" aria-labelledby="lacking">
        <h2 id="lacking">Nothing is missing from it</h2>
      </section>
    )
  return (
    <section class="panel" aria-labelledby="lacking">
      <h2 id="lacking">Missing from it ({all.length})</h2>
      <ul class="missing">
        {all.map(({ text, must }) => (
          <li key={text}>
            <One text={text} must={must} id={chargeback.id} fillable={fillable} onKind={onKind} />
          </li>
        ))}
      </ul>
    </section>
  )
}

interface OneProps {
  text: string
  must: boolean
  id: string
  fillable: boolean
  onKind: (kind: string) => void
}

function One({ text, must, id, fillable, onKind }: OneProps) {
  const { names, kinds } = wantedOf(text)
  const words = [...names.map(labelOf), ...kinds.map((kind) => `a file: ${kind}`)].join(', or ')
  const typed = names.filter(isTyped)
  const [kind] = kinds
  function addFile() {
    if (kind) onKind(kind)
    document.querySelector<HTMLInputElement>('.upload input[type="file"]')?.focus()
  }
  return (
    <>
      {must && <strong class="bad">Must be sent: </strong>}
      {(!fillable || typed.length !== 1 || kind || must) && words}
      {fillable && (
        <>
          {typed.map((name) => (
            <MissingField key={name} id={id} name={name} />
          ))}
          {typed.length < names.length && (
            <p class="muted">
              {typed.length === 0 ? 'It' : 'The rest'} comes from your shop's system: it can't be typed here.
            </p>
          )}
          {kind && (
            <button type="button" onClick={addFile}>
              Add a file: {kind}
            </button>
          )}
        </>
      )}
    </>
  )
}
