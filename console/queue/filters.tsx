import { useId } from 'preact/hooks'
import { navigate } from '../app/navigation.ts'
import { QUEUE, withQuery } from '../app/router.ts'
import { Foreign } from '../parts/foreign.tsx'
import { Menu } from '../parts/menu.tsx'
import { Failed } from '../parts/states.tsx'
import { visible } from '../parts/visible.ts'
import { When } from '../parts/when.tsx'
import { nameOf } from '../parts/words.ts'
import { AmountMenu } from './amount-menu.tsx'
import { useKnown } from './known.ts'
import { CHOICES, type Choice, chosenWords, FILTERS, VIEWS, viewQuery, withFilters } from './view.ts'

/** Filters as menus; each change is an address. */
export function Filters({ query }: { query: URLSearchParams }) {
  const view = new URLSearchParams(viewQuery(query))
  const change = (changed: Record<string, string>) => navigate(`${QUEUE}${withFilters(query, changed)}`)
  return (
    <div class="filters">
      {(Object.keys(CHOICES) as Choice[]).map((name) => (
        <ChoiceMenu key={name} name={name} view={view} onChange={(words) => change({ [name]: words })} />
      ))}
      <AmountMenu key={view.toString()} view={view} onChange={change} />
      <Chips view={view} onRemove={(name) => change({ [name]: '' })} />
      {viewQuery(query) !== VIEWS[0].query && (
        <a href={`${QUEUE}${withQuery(query, Object.fromEntries([...FILTERS, 'sort'].map((name) => [name, ''])))}`}>
          Clear
        </a>
      )}
    </div>
  )
}

interface ChoiceMenuProps {
  name: Choice
  view: URLSearchParams
  onChange: (words: string) => void
}

function ChoiceMenu({ name, view, onChange }: ChoiceMenuProps) {
  const { label, words } = CHOICES[name]
  const chosen = chosenWords(view, name)
  const single = name === 'recommendation'
  const toggle = (word: string, on: boolean) => {
    const rest = single ? [] : chosen.filter((one) => one !== word)
    const next = on ? [...rest, word] : rest
    // Without a word, the status at the PSP would be that of open ones again.
    onChange(next.length === 0 && name === 'pspStatus' ? 'any' : next.join(','))
  }
  return (
    <Menu label={label} chosen={chosen.length > 1 ? `${chosen.length} chosen` : nameOf(chosen[0] ?? '')}>
      <fieldset>
        <legend class="visually-hidden">{label}</legend>
        {words ? (
          <Words words={words} chosen={chosen} onToggle={toggle} />
        ) : (
          <KnownPsps chosen={chosen} onToggle={toggle} />
        )}
      </fieldset>
    </Menu>
  )
}

interface WordsProps {
  words: readonly string[]
  /** Number of chargebacks of each word. */
  counts?: ReadonlyMap<string, number> | undefined
  chosen: readonly string[]
  onToggle: (word: string, on: boolean) => void
}

function KnownPsps(props: Pick<WordsProps, 'chosen' | 'onToggle'>) {
  const { counts, failure, again } = useKnown('psp')
  return (
    <>
      {failure && <Failed failure={failure} again={again} />}
      {(counts || props.chosen.length > 0) && <Words {...props} words={[...(counts?.keys() ?? [])]} counts={counts} />}
    </>
  )
}

function Words({ words, counts, chosen, onToggle }: WordsProps) {
  const id = useId()
  const offered = [...new Set([...words, ...chosen])]
  if (offered.length === 0) return <p class="muted">There are none yet.</p>
  return (
    <>
      {offered.map((word) => (
        <label key={word} class="option" for={`${id}-${word}`}>
          <input
            id={`${id}-${word}`}
            type="checkbox"
            checked={chosen.includes(word)}
            onChange={(event) => onToggle(word, event.currentTarget.checked)}
          />
          {nameOf(word)} {counts?.has(word) && <span class="muted">{counts.get(word)}</span>}
        </label>
      ))}
    </>
  )
}

/** Filters that have no menu: what they are, and a way to remove each. */
function Chips({ view, onRemove }: { view: URLSearchParams; onRemove: (name: string) => void }) {
  return (
    <>
      {Object.entries(CHIPS).map(([name, words]) => {
        const value = view.get(name)
        return value === null ? null : (
          <span key={name} class="chip">
            {words(value)}{' '}
            <button type="button" class="plain" onClick={() => onRemove(name)}>
              ✕<span class="visually-hidden"> Remove this filter</span>
            </button>
          </span>
        )
      })}
    </>
  )
}

const time = (value: string) =>
  Number.isNaN(Date.parse(value)) ? <Foreign text={value} /> : <When at={new Date(value).toISOString()} />
const CHIPS: Record<string, (value: string) => preact.ComponentChildren> = {
  due: (days) => `due within ${visible(days)} days`,
  dueAfter: (at) => <>due from {time(at)}</>,
  dueBefore: (at) => <>due until {time(at)}</>,
  decided: () => 'decided this month',
  startDate: (at) => <>posted from {time(at)}</>,
  endDate: (at) => <>posted until {time(at)}</>,
  inScope: (value) => (value === 'false' ? 'out of scope' : 'in scope'),
  search: (text) => (
    <>
      search <Foreign text={text} />
    </>
  ),
}
