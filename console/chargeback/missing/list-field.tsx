import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { FieldProblem } from '../../parts/form.tsx'
import { labelOf } from '../../parts/words.ts'
import { type Entry, faultOf, filledIn, type ListPoint, type Part } from './list-points.ts'
import { useSave } from './use-save.ts'

/** A data point of several entries, such as messages: rows of fields, saved together. */
export function ListField({ id, name, list }: { id: string; name: string; list: ListPoint }) {
  const form = useRef<HTMLFormElement>(null)
  const problemId = useId()
  const [entries, setEntries] = useState<readonly Entry[]>([{}])
  const { save, unable, busy, problem, setProblem, saved, edited } = useSave(id, name)
  const [focus, setFocus] = useState<string>()
  /** Name of the field that the problem is about; '' for what the API refused. */
  const [wrong, setWrong] = useState('')
  // An entry that was added has its fields in the page only now.
  useLayoutEffect(() => {
    if (focus === undefined) return
    form.current?.querySelector<HTMLElement>(`[name="${focus}"]`)?.focus()
    setFocus(undefined)
  }, [focus])

  function change(next: readonly Entry[]) {
    setEntries(next)
    edited()
  }
  const type = (at: number, part: string, text: string) =>
    change(entries.map((entry, index) => (index === at ? { ...entry, [part]: text } : entry)))
  function add() {
    change([...entries, {}])
    setFocus(`${entries.length}.${list.parts[0]?.name}`)
  }
  function remove(at: number) {
    change(entries.filter((_, index) => index !== at))
    setFocus(`${Math.max(0, at - 1)}.${list.parts[0]?.name}`)
  }
  function submit(event: Event) {
    event.preventDefault()
    const fault = faultOf(list, entries)
    const field = fault ? `${fault.at}.${fault.part.name}` : ''
    setWrong(field)
    if (!fault) return void save(filledIn(entries))
    setProblem(`Fill “${fault.part.label}” of ${list.entry} ${fault.at + 1}.`)
    setFocus(field)
  }

  const describedBy = problem ? problemId : undefined
  return (
    <form
      class="list-field"
      ref={form}
      onSubmit={submit}
      noValidate
      aria-describedby={wrong === '' ? describedBy : undefined}
    >
      <h3>{labelOf(name)}</h3>
      {entries.map((entry, at) => (
        // An entry has no other identity than its place; its texts are in `entries`.
        <fieldset key={at}>
          <legend>
            {list.entry} {at + 1}
          </legend>
          {list.parts.map((part) => (
            <Cell
              key={part.name}
              part={part}
              at={at}
              text={entry[part.name] ?? ''}
              describedBy={wrong === `${at}.${part.name}` ? describedBy : undefined}
              onText={type}
            />
          ))}
          {entries.length > 1 && (
            <button type="button" onClick={() => remove(at)} aria-label={`Remove ${list.entry} ${at + 1}`}>
              Remove
            </button>
          )}
        </fieldset>
      ))}
      <p class="acts">
        <button type="button" onClick={add}>
          Add another {list.entry}
        </button>
        <button type="submit" aria-disabled={unable} aria-label={`Save ${labelOf(name)}`}>
          {busy ? 'Saving…' : 'Save'}
        </button>
        {saved && <span class="good">Saved</span>}
      </p>
      <FieldProblem id={problemId} text={problem} />
    </form>
  )
}

interface CellProps {
  part: Part
  at: number
  text: string
  describedBy: string | undefined
  onText: (at: number, part: string, text: string) => void
}

function Cell({ part: { name, label, must, long, hint }, at, text, describedBy, onText }: CellProps) {
  const id = useId()
  const input = {
    ...{ id, name: `${at}.${name}`, value: text, placeholder: hint, required: must, maxLength: 10_000 },
    'aria-describedby': describedBy,
    onInput: ({ currentTarget }: { currentTarget: { value: string } }) => onText(at, name, currentTarget.value),
  }
  return (
    <div class="form-field">
      <label for={id}>
        {label}
        {must && ' (required)'}
      </label>
      {long ? <textarea rows={3} {...input} /> : <input type="text" autocomplete="off" {...input} />}
    </div>
  )
}
