import { useState } from 'preact/hooks'
import { Dialog } from '../parts/dialog.tsx'
import { areKeysOn, offeredKeys, switchKeys } from './keys.ts'
import { chooseTheme, THEMES, type Theme, themeNow } from './theme.ts'

/** The keys of what is shown, and what a person can set. */
export function Help({ onClose }: { onClose: () => void }) {
  const [on, setOn] = useState(areKeysOn)
  const [keys] = useState(offeredKeys)
  const [theme, setTheme] = useState(themeNow)
  return (
    <Dialog title="Keys and settings" onClose={onClose}>
      <dl class="keys">
        {keys.map(({ keys: names, what }) => (
          <div key={names}>
            <dt>
              {names.split(' ').map((name) => (
                <kbd key={name}>{name}</kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <label class="check">
        <input
          type="checkbox"
          checked={on}
          onChange={(event) => {
            switchKeys(event.currentTarget.checked)
            setOn(event.currentTarget.checked)
          }}
        />
        Single keys act
      </label>
      <label>
        Colours{' '}
        <select
          value={theme}
          onChange={(event) => {
            chooseTheme(event.currentTarget.value as Theme)
            setTheme(themeNow())
          }}
        >
          {THEMES.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <div class="buttons">
        {/* biome-ignore lint/a11y/noAutofocus: in a dialog the harmless button has the focus */}
        <button type="button" autoFocus onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  )
}
