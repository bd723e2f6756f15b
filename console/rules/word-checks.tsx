import { useId, useState } from 'preact/hooks'

/** More options than this are searched, not listed. */
const LISTED = 24

interface WordChecksProps {
  title: string
  options: readonly string[]
  chosen: readonly string[]
  /** What a person reads for a word. */
  label: (word: string) => string
  /** Absent: it is only shown. */
  onChosen?: (chosen: string[]) => void
}

/** Words of one dimension as a checklist. Of a long list the chosen ones are shown, and others are added by typing. */
export function WordChecks({ title, options, chosen, label, onChosen }: WordChecksProps) {
  const long = options.length > LISTED
  // A word that the service has given up is shown while a rule names it.
  const listed = long || !onChosen ? chosen : [...new Set([...options, ...chosen])].sort()
  const toggle = (word: string, on: boolean) =>
    onChosen?.(on ? [...chosen, word].sort() : chosen.filter((one) => one !== word))
  return (
    <fieldset>
      <legend>
        {title}
        {chosen.length > 0 && <span class="muted"> · {chosen.length} out of scope</span>}
      </legend>
      {listed.length === 0 && <p class="muted">{onChosen ? 'None is out of scope.' : 'All are in scope.'}</p>}
      <div class="checks">
        {listed.map((word) =>
          onChosen ? (
            <label key={word} class="check">
              <input
                type="checkbox"
                checked={chosen.includes(word)}
                onChange={(event) => toggle(word, event.currentTarget.checked)}
              />
              {label(word)}
            </label>
          ) : (
            <span key={word}>{label(word)}</span>
          ),
        )}
      </div>
      {long && onChosen && <AddWord {...{ title, options, chosen }} onAdd={(word) => toggle(word, true)} />}
    </fieldset>
  )
}

interface AddWordProps {
  title: string
  options: readonly string[]
  chosen: readonly string[]
  onAdd: (word: string) => void
}

function AddWord({ title, options, chosen, onAdd }: AddWordProps) {
  const id = useId()
  const [word, setWord] = useState('')
  const [problem, setProblem] = useState<string>()

  function add(event: Event) {
    event.preventDefault()
    const meant = options.find((one) => one.toLowerCase() === word.trim().toLowerCase())
    if (!meant) return setProblem('Choose one of the list.')
    if (!chosen.includes(meant)) onAdd(meant)
    setWord('')
    setProblem(undefined)
  }
  return (
    <form class="field" onSubmit={add} noValidate>
      <label for={id}>Add one of {options.length}</label>
      <input
        id={id}
        list={`${id}-options`}
        value={word}
        autocomplete="off"
        aria-describedby={problem ? `${id}-problem` : undefined}
        onInput={(event) => setWord(event.currentTarget.value)}
      />
      <datalist id={`${id}-options`}>
        {options.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
      <button type="submit" aria-label={`Add to ${title}`}>
        Add
      </button>
      {problem && (
        <p id={`${id}-problem`} class="bad" role="alert">
          {problem}
        </p>
      )}
    </form>
  )
}
