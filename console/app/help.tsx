import { useState } from 'preact/hooks'
import { Dialog } from '../parts/dialog.tsx'
import { areKeysOn, offeredKeys, switchKeys } from './keys.ts'
import { NOT_KEPT } from './stored.ts'
import { chooseTheme, THEMES, themeNow } from './theme.ts'
import { chooseZone, ZONES, zoneNow } from './zone.ts'

interface HelpProps {
  /** Times are shown in another zone. */
  onZone: () => void
  onClose: () => void
}

/** The keys of what is shown, and what a person can set. */
export function Help({ onZone, onClose }: HelpProps) {
  const [on, setOn] = useState(areKeysOn)
  const [keys] = useState(offeredKeys)
  const [isKept, keep] = useState(true)
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
            keep(switchKeys(event.currentTarget.checked))
            setOn(event.currentTarget.checked)
          }}
        />
        Single keys act
      </label>
      <Choice label="Colours" all={THEMES} now={themeNow} onChoose={(theme) => keep(chooseTheme(theme))} />
      <Choice
        label="Times"
        all={ZONES}
        now={zoneNow}
        onChoose={(zone) => {
          keep(chooseZone(zone))
          onZone()
        }}
      />
      {!isKept && (
        <p class="warn" role="status">
          {NOT_KEPT}
        </p>
      )}
      <div class="buttons">
        {/* biome-ignore lint/a11y/noAutofocus: in a dialog the harmless button has the focus */}
        <button type="button" autoFocus onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  )
}

interface ChoiceProps<T extends string> {
  label: string
  all: readonly T[]
  now: () => T
  onChoose: (chosen: T) => void
}

function Choice<T extends string>({ label, all, now, onChoose }: ChoiceProps<T>) {
  const [chosen, choose] = useState(now)
  return (
    <label class="setting">
      {label}{' '}
      <select
        value={chosen}
        onChange={(event) => {
          onChoose(event.currentTarget.value as T)
          choose(now)
        }}
      >
        {all.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}
