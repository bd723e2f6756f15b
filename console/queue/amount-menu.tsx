import { Fragment } from 'preact'
import { useId, useState } from 'preact/hooks'
import { Menu } from '../parts/menu.tsx'
import { Failed } from '../parts/states.tsx'
import { useKnown } from './known.ts'
import { wordsOf } from './view.ts'

interface AmountMenuProps {
  view: URLSearchParams
  onChange: (change: { currency: string; minAmount: string; maxAmount: string }) => void
}

const FIELDS = [
  ['minAmount', 'From'],
  ['maxAmount', 'To'],
] as const

/** Currency and range of the amount. Amounts compare within one currency, so a range needs one. */
export function AmountMenu({ view, onChange }: AmountMenuProps) {
  const id = useId()
  const chosen = wordsOf(view, 'currency')
  const [values, setValues] = useState({
    ...{ currency: chosen.join(','), minAmount: view.get('minAmount') ?? '', maxAmount: view.get('maxAmount') ?? '' },
  })
  const [problem, setProblem] = useState<string>()
  const range = [view.get('minAmount'), view.get('maxAmount')]
  const shown = range.some(Boolean) ? ` ${range.map((one) => one ?? '').join('–')}` : ''

  function apply(event: Event) {
    event.preventDefault()
    const { currency, minAmount, maxAmount } = values
    const bad = [minAmount, maxAmount].some((text) => text !== '' && !/^\d{1,15}(\.\d{1,4})?$/.test(text))
    if (bad) return setProblem('Write amounts in units of the currency, for example 10.99.')
    if (minAmount + maxAmount !== '' && currency === '') return setProblem('Choose the currency of the amounts.')
    setProblem(undefined)
    onChange(values)
  }

  return (
    <Menu label="Amount" chosen={`${chosen.join(', ')}${shown}`}>
      <form class="amounts" onSubmit={apply} noValidate>
        <Currencies
          id={`${id}-currency`}
          chosen={chosen}
          value={values.currency}
          onValue={(currency) => setValues({ ...values, currency })}
        />
        {FIELDS.map(([name, label]) => (
          <Fragment key={name}>
            <label for={`${id}-${name}`}>{label}</label>
            <input
              id={`${id}-${name}`}
              inputMode="decimal"
              value={values[name]}
              aria-describedby={problem ? `${id}-problem` : undefined}
              onInput={(event) => setValues({ ...values, [name]: event.currentTarget.value.trim() })}
            />
          </Fragment>
        ))}
        {problem && (
          <p id={`${id}-problem`} class="bad" role="alert">
            {problem}
          </p>
        )}
        <button type="submit">Apply</button>
      </form>
    </Menu>
  )
}

interface CurrenciesProps {
  id: string
  chosen: readonly string[]
  value: string
  onValue: (currency: string) => void
}

function Currencies({ id, chosen, value, onValue }: CurrenciesProps) {
  const { counts, failure, again } = useKnown('currency')
  const offered = [...new Set([...(counts?.keys() ?? []), ...chosen])].sort()
  return (
    <>
      <label for={id}>Currency</label>
      <select id={id} value={value} onChange={(event) => onValue(event.currentTarget.value)}>
        <option value="">any</option>
        {offered.map((code) => (
          <option key={code} value={code}>
            {code}
          </option>
        ))}
      </select>
      {failure && <Failed failure={failure} again={again} />}
    </>
  )
}
