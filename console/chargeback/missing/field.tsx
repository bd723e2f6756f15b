import { useId, useRef } from 'preact/hooks'
import { FieldProblem } from '../../parts/form.tsx'
import { inputOf, labelOf } from '../../parts/words.ts'
import { ListField } from './list-field.tsx'
import { LISTS } from './list-points.ts'
import { useSave } from './use-save.ts'

/** One data point with the field, or the list of entries, to fill. */
export function MissingField({ id, name }: { id: string; name: string }) {
  const list = LISTS[name]
  return list ? <ListField id={id} name={name} list={list} /> : <OneField id={id} name={name} />
}

function OneField({ id, name }: { id: string; name: string }) {
  const field = useId()
  const input = useRef<HTMLInputElement & HTMLSelectElement>(null)
  const { save, unable, busy, problem, setProblem, saved, edited } = useSave(id, name)
  const kind = inputOf(name)

  function submit(event: Event) {
    event.preventDefault()
    const text = input.current?.value.trim() ?? ''
    if (text !== '') return void save(kind === 'yes-no' ? text === 'yes' : text)
    setProblem('Fill the field first.')
    input.current?.focus()
  }

  const described = problem ? `${field}-problem` : undefined
  return (
    <form class="field" onSubmit={submit} onInput={edited} noValidate>
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
      <button type="submit" aria-disabled={unable} aria-label={`Save ${labelOf(name)}`}>
        {busy ? 'Saving…' : 'Save'}
      </button>
      {saved && <p class="good">Saved</p>}
      <FieldProblem id={`${field}-problem`} text={problem} />
    </form>
  )
}
