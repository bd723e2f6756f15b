import { useState } from 'preact/hooks'
import { useRead } from '../api/use-read.ts'
import { useWho } from '../app/who.ts'
import { Ago } from '../parts/ago.tsx'
import { Foreign } from '../parts/foreign.tsx'
import { Failed, Loading } from '../parts/states.tsx'
import type { Integration } from './data.ts'

/** Disputes that could not be read: people look at them at the PSP. */
export function Quarantine({ integration: { integrationId: id, quarantined } }: { integration: Integration }) {
  return (
    <section class="panel" aria-labelledby="quarantine">
      <h2 id="quarantine">Quarantine ({quarantined})</h2>
      {quarantined === 0 ? (
        <p class="muted">Every dispute that the PSP returned could be read.</p>
      ) : (
        <>
          <p>
            The PSP returned {quarantined === 1 ? 'a dispute' : 'disputes'} that Recoup can't read. Answer{' '}
            {quarantined === 1 ? 'it' : 'them'} at the PSP before the due date, and tell the operator.
          </p>
          <Objects id={id} />
        </>
      )}
    </section>
  )
}

function Objects({ id }: { id: string }) {
  const { merchant } = useWho()
  const [page, setPage] = useState(1)
  const { data, failure, again } = useRead('listQuarantine', { params: { id }, merchant, query: { page } })
  if (!data) return failure ? <Failed failure={failure} again={again} /> : <Loading rows={2} />
  return (
    <>
      <table>
        <thead>
          <tr>
            <th scope="col">Dispute</th>
            <th scope="col">Why</th>
            <th scope="col">Last seen</th>
          </tr>
        </thead>
        <tbody>
          {data.data.map(({ reference, reason, lastSeenAt, seen }, index) => (
            <tr key={`${reference} ${index}`}>
              <td>{reference ? <Foreign text={reference} /> : <span class="muted">no id</span>}</td>
              <td>
                <Foreign text={reason} />
              </td>
              <td>
                <Ago at={lastSeenAt} /> <span class="muted">{seen} times</span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {(page > 1 || data.hasMore) && (
        <div class="buttons">
          <button type="button" aria-disabled={page === 1} onClick={() => page > 1 && setPage(page - 1)}>
            Earlier page
          </button>
          <button type="button" aria-disabled={!data.hasMore} onClick={() => data.hasMore && setPage(page + 1)}>
            Next page
          </button>
        </div>
      )}
    </>
  )
}
