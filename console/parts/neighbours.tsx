import { useEffect } from 'preact/hooks'
import { useKeys } from '../app/keys.ts'
import { navigate } from '../app/navigation.ts'
import { listAddress, placeOf, rememberOpened } from '../app/order.ts'
import { merchantQuery, QUEUE, withQuery } from '../app/router.ts'

/** The way back to the list, and to the chargebacks before and after this one in it. */
export function Neighbours({ id, query }: { id: string; query: URLSearchParams }) {
  const suffix = merchantQuery(query)
  const back = `${QUEUE}${withQuery(new URLSearchParams(listAddress()), { m: query.get('m') ?? undefined })}`
  const place = placeOf(id)
  const to = (other: string) => `/console/chargebacks/${encodeURIComponent(other)}${suffix}`
  const go = (other: string | undefined) => other !== undefined && navigate(to(other))
  useKeys([
    { keys: 'J', what: 'Next chargeback of the list', act: () => go(place?.after) },
    { keys: 'K', what: 'Chargeback before', act: () => go(place?.before) },
    { keys: 'u', what: 'Back to the list', act: () => navigate(back) },
  ])
  useEffect(() => {
    rememberOpened(id)
    window.scrollTo(0, 0)
  }, [id])
  return (
    <nav class="neighbours" aria-label="List">
      <a href={back}>‹ Back to the list</a>
      {place && (
        <>
          <span class="muted">
            {place.index + 1} of {place.of}
          </span>
          {place.before && (
            <a href={to(place.before)} aria-label="Chargeback before">
              ‹ Before
            </a>
          )}
          {place.after && (
            <a href={to(place.after)} aria-label="Next chargeback">
              Next ›
            </a>
          )}
        </>
      )}
    </nav>
  )
}
