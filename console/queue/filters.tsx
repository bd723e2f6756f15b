import { navigate } from '../app/navigation.ts'
import { QUEUE, withQuery } from '../app/router.ts'

/** Filters of the list operation that people use; each is a parameter of the address. */
const FILTERS = [
  {
    name: 'pspStatus',
    label: 'At the PSP',
    words: [
      'needs_response',
      'under_review',
      'won',
      'lost',
      'split',
      'not_applicable',
      'evidence_not_submitted_by_psp',
    ],
  },
  {
    name: 'status',
    label: 'Status',
    words: ['waiting_for_data', 'building_evidence', 'pending_psp_results', 'not_represented'],
  },
  { name: 'psp', label: 'PSP', words: ['adyen', 'braintree', 'paypal', 'stripe', 'other'] },
] as const

export type FilterValues = Partial<Record<(typeof FILTERS)[number]['name'], string>>

/** Open chargebacks, unless the address says otherwise; `any` lifts a filter. */
export function filtersOf(query: URLSearchParams): FilterValues {
  const given = FILTERS.map(({ name, words }) => {
    const value = query.get(name) ?? (name === 'pspStatus' ? 'needs_response' : '')
    return [name, (words as readonly string[]).includes(value) ? value : '']
  })
  return Object.fromEntries(given.filter(([, value]) => value !== ''))
}

export function Filters({ query }: { query: URLSearchParams }) {
  const values = filtersOf(query)
  const change = (name: string, value: string) => navigate(`${QUEUE}${withQuery(query, { [name]: value })}`)
  const isFiltered = FILTERS.some(({ name }) => query.has(name))
  return (
    <div class="filters">
      {FILTERS.map(({ name, label, words }) => (
        <label key={name}>
          {label}
          <select value={values[name] ?? 'any'} onChange={(event) => change(name, event.currentTarget.value)}>
            <option value="any">any</option>
            {words.map((word) => (
              <option key={word} value={word}>
                {word}
              </option>
            ))}
          </select>
        </label>
      ))}
      {isFiltered && (
        <a href={`${QUEUE}${withQuery(query, { pspStatus: undefined, status: undefined, psp: undefined })}`}>
          Clear filters
        </a>
      )}
    </div>
  )
}
