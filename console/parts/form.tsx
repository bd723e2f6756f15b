import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

interface InputProps {
  label: string
  /** Of its input, for what leads there. */
  id?: string | undefined
  /** How to find or choose the value. */
  help?: ComponentChildren
  /** What is wrong with it. */
  problem?: string | undefined
}

type FieldProps = InputProps & { children: (ids: { id: string; describedBy: string | undefined }) => ComponentChildren }

/** A label above, its field, help and problem tied to it. */
export function Field({ label, help, problem, id: given, children }: FieldProps) {
  const own = useId()
  const id = given ?? own
  const ids = [help && `${id}-help`, problem && `${id}-problem`].filter(Boolean).join(' ')
  return (
    <div class="form-field">
      <label for={id}>{label}</label>
      {help && (
        <p id={`${id}-help`} class="muted">
          {help}
        </p>
      )}
      {children({ id, describedBy: ids === '' ? undefined : ids })}
      <FieldProblem id={`${id}-problem`} text={problem} />
    </div>
  )
}

type TextProps = InputProps & {
  value: string
  onValue: (value: string) => void
  type?: 'text' | 'password' | 'url' | 'date'
  name?: string
  maxLength?: number
  inputMode?: 'decimal'
  required?: boolean
  readOnly?: boolean
}

/** A field of one line. The browser neither keeps nor corrects what is typed. */
export function TextField({ label, help, problem, onValue, type = 'text', ...input }: TextProps) {
  return (
    <Field {...{ label, help, problem, id: input.id }}>
      {({ id, describedBy }) => (
        <input
          {...input}
          // The types of inputs can't be told apart here.
          {...({ type } as { type: 'text' })}
          id={id}
          autocomplete="off"
          spellcheck={false}
          aria-describedby={describedBy}
          aria-invalid={problem ? true : undefined}
          onInput={(event) => onValue(event.currentTarget.value)}
        />
      )}
    </Field>
  )
}

type SelectProps = InputProps & {
  value: string
  onValue: (value: string) => void
  /** Value and its words. */
  options: readonly (readonly [value: string, words: string])[]
}

export function SelectField({ value, onValue, options, ...field }: SelectProps) {
  return (
    <Field {...field}>
      {({ id, describedBy }) => (
        <select
          id={id}
          value={value}
          aria-describedby={describedBy}
          onChange={(event) => onValue(event.currentTarget.value)}
        >
          {options.map(([one, words]) => (
            <option key={one} value={one}>
              {words}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

type CheckProps = { label: ComponentChildren; checked: boolean; onValue: (checked: boolean) => void }

export function CheckField({ label, checked, onValue }: CheckProps) {
  return (
    <label class="check">
      <input type="checkbox" checked={checked} onChange={(event) => onValue(event.currentTarget.checked)} />
      {label}
    </label>
  )
}

/** What is wrong with a field, which refers to it by `id`; read out at once. */
export function FieldProblem({ id, text }: { id: string; text: string | undefined }) {
  return text === undefined ? null : (
    <p id={id} class="bad" role="alert">
      {text}
    </p>
  )
}

/** What is wrong with a long form, above it, with a link to each field. `focusProblem` brings the person here. */
export function ErrorSummary({ faults }: { faults: readonly { id: string; label: string; problem: string }[] }) {
  const heading = useId()
  const goTo = (event: Event, id: string) => {
    event.preventDefault()
    document.getElementById(id)?.focus()
  }
  return faults.length === 0 ? null : (
    <section class="notice bad error-summary" aria-labelledby={heading} tabIndex={-1}>
      <h2 id={heading}>{faults.length === 1 ? 'Correct this field' : `Correct these ${faults.length} fields`}</h2>
      <ul class="plain-list">
        {faults.map(({ id, label, problem }) => (
          <li key={id}>
            <a href={`#${id}`} onClick={(event) => goTo(event, id)}>
              {label}: {problem}
            </a>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Moves the focus to the summary of errors, else to the first field that has one, after it is shown. */
export const focusProblem = () =>
  requestAnimationFrame(() => document.querySelector<HTMLElement>('.error-summary, [aria-invalid="true"]')?.focus())

/**
 * What the API refused, above the buttons; read out at once. The page's live regions would not do: below a modal dialog
 * nothing is read.
 */
export function Problem({ text }: { text: string | undefined }) {
  return text === undefined ? null : (
    <p class="notice bad" role="alert">
      {text}
    </p>
  )
}
