import { useEffect, useMemo, useState } from 'preact/hooks'
import { navigate } from '../app/navigation.ts'
import { QUEUE } from '../app/router.ts'
import { NOT_KEPT } from '../app/stored.ts'
import { useWho } from '../app/who.ts'
import { announce } from '../parts/announce.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { viewsOf } from './saved-views.ts'
import { VIEWS, viewQuery, withView } from './view.ts'

/** The views: those that everybody has, and those that the person named. */
export function Views({ query }: { query: URLSearchParams }) {
  const { me } = useWho()
  const views = useMemo(() => viewsOf(me.credentialId), [me.credentialId])
  const [saved, setSaved] = useState(views.all)
  const [isKept, keep] = useState(true)
  const [naming, setNaming] = useState(false)
  const view = viewQuery(query)
  const own = saved.find((one) => one.query === view)
  const isKnown = own !== undefined || VIEWS.some((one) => one.query === view)
  useEffect(() => views.onChanged(() => setSaved(views.all())), [views])
  const changed = (kept: boolean, words: string) => {
    setSaved(views.all())
    keep(kept)
    announce(kept ? words : NOT_KEPT, { urgent: !kept })
  }
  const open = (chosen: string) => navigate(`${QUEUE}${withView(query, chosen)}`)
  return (
    <div class="views">
      <select aria-label="View" value={view} onChange={(event) => open(event.currentTarget.value)}>
        {!isKnown && <option value={view}>Filters of this address</option>}
        {VIEWS.map((one) => (
          <option key={one.query} value={one.query}>
            {one.name}
          </option>
        ))}
        {saved.length > 0 && (
          <optgroup label="Saved here">
            {saved.map((one) => (
              <option key={one.name} value={one.query}>
                {one.name}
              </option>
            ))}
          </optgroup>
        )}
      </select>
      {!isKnown && (
        <button type="button" onClick={() => setNaming(true)}>
          Save view…
        </button>
      )}
      {own && (
        <button type="button" onClick={() => setNaming(true)}>
          Rename…
        </button>
      )}
      {own && (
        <button type="button" onClick={() => changed(views.remove(own.name), 'View removed')}>
          Remove view
        </button>
      )}
      {!isKept && <span class="warn">{NOT_KEPT}</span>}
      {naming && (
        <NameDialog
          former={own?.name}
          onClose={() => setNaming(false)}
          onName={(name) => {
            setNaming(false)
            if (own) changed(views.rename(own.name, name), 'View renamed')
            else changed(views.save({ name, query: view }), 'View saved')
          }}
        />
      )}
    </div>
  )
}

interface NameProps {
  /** Name of a view that is renamed. */
  former: string | undefined
  onName: (name: string) => void
  onClose: () => void
}

function NameDialog({ former, onName, onClose }: NameProps) {
  const [name, setName] = useState(former ?? '')
  const submit = (event: Event) => {
    event.preventDefault()
    if (name.trim() !== '') onName(name.trim())
  }
  return (
    <Dialog title={former === undefined ? 'Save this view' : 'Rename this view'} onClose={onClose}>
      <form onSubmit={submit}>
        <label for="view-name">Name</label>
        <input
          id="view-name"
          class="wide"
          maxLength={60}
          value={name}
          autoFocus
          onInput={(event) => setName(event.currentTarget.value)}
        />
        <p class="muted">The view is kept in this browser. To share it, copy the address.</p>
        <div class="buttons">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="primary" aria-disabled={name.trim() === ''}>
            Save
          </button>
        </div>
      </form>
    </Dialog>
  )
}
