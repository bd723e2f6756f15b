import { useRef } from 'preact/hooks'
import { useKeys } from './keys.ts'
import { navigate } from './navigation.ts'
import { QUEUE } from './router.ts'

/** Finds chargebacks by an id or by the last digits of a card, whatever their state. */
export function Search({ query }: { query: URLSearchParams }) {
  const field = useRef<HTMLInputElement>(null)
  useKeys([{ keys: '/', what: 'Search', act: () => field.current?.focus() }])
  function submit(event: Event) {
    event.preventDefault()
    const search = field.current?.value.trim() ?? ''
    if (search === '') return
    const merchant = query.get('m')
    navigate(`${QUEUE}?${new URLSearchParams({ ...(merchant && { m: merchant }), pspStatus: 'any', search })}`)
  }
  return (
    <search class="search">
      <form onSubmit={submit}>
        <input
          ref={field}
          key={query.get('search')}
          type="search"
          defaultValue={query.get('search') ?? ''}
          maxLength={255}
          aria-label="Search by id, ARN, transaction or last four digits"
          placeholder="Id, ARN, transaction, last 4 digits"
        />
      </form>
    </search>
  )
}
