import { useRead } from '../api/use-read.ts'
import { navigate } from '../app/navigation.ts'
import { merchantQuery, type ScreenProps, withQuery } from '../app/router.ts'
import { useWho } from '../app/who.ts'
import { Foreign } from '../parts/foreign.tsx'
import { Empty, Failed, Loading } from '../parts/states.tsx'
import { useRepeat } from '../parts/use-repeat.ts'
import { When, zoneName } from '../parts/when.tsx'
import { type Entry, linkOf, SUBJECTS, type Subject, subjectOf, whoOf } from './data.ts'
import { Values } from './values.tsx'

const AUDIT = '/console/audit'
const EVERY_MS = 30_000

/** Who did what, over chargebacks and settings. Filters and page are in the address. */
export function Screen({ query }: ScreenProps) {
  const { me, merchant } = useWho()
  const subject = subjectOf(query.get('subject'))
  const credential = query.get('credential') ?? undefined
  const cursor = query.get('page') ?? undefined
  const read = useRead('listAudit', { merchant, query: { limit: 50, subject, credential, cursor } })
  useRepeat('listAudit ', cursor === undefined, EVERY_MS)
  const { data, failure } = read
  const go = (change: Record<string, string | undefined>) =>
    navigate(`${AUDIT}${withQuery(query, { page: undefined, ...change })}`)
  const only = data?.data.find(({ credentialId }) => credentialId === credential)
  return (
    <main>
      <div class="title">
        <h1>Audit</h1>
        <label>
          About{' '}
          <select value={subject ?? ''} onChange={(event) => go({ subject: event.currentTarget.value })}>
            <option value="">everything</option>
            {(Object.keys(SUBJECTS) as Subject[]).map((one) => (
              <option key={one} value={one}>
                {SUBJECTS[one]}
              </option>
            ))}
          </select>
        </label>
      </div>
      <p class="muted">
        What people and your systems did, newest first, {zoneName()}. What PSPs changed is in the timeline of each
        chargeback.
      </p>
      {credential && (
        <p>
          Only what {only ? <Foreign text={whoOf(only, me)} /> : 'one credential'} did.{' '}
          <button type="button" onClick={() => go({ credential: undefined })}>
            Show everybody
          </button>
        </p>
      )}
      {failure && <Failed failure={failure} again={read.again} />}
      {!data && !failure && <Loading rows={8} />}
      {data?.data.length === 0 && (
        <Empty>
          {subject || credential || cursor ? (
            <>
              Nothing matches. <a href={`${AUDIT}${merchantQuery(query)}`}>Show everything</a>
            </>
          ) : (
            'Nobody has done anything yet.'
          )}
        </Empty>
      )}
      {data && data.data.length > 0 && (
        <>
          <Trail entries={data.data} query={query} onWho={(id) => go({ credential: id })} />
          <div class="buttons">
            {cursor && (
              <button type="button" onClick={() => go({})}>
                Newest
              </button>
            )}
            {data.nextCursor !== undefined && (
              <button type="button" onClick={() => go({ page: data.nextCursor })}>
                Earlier ones
              </button>
            )}
          </div>
        </>
      )}
    </main>
  )
}

interface TrailProps {
  entries: readonly Entry[]
  query: URLSearchParams
  onWho: (credentialId: string) => void
}

function Trail({ entries, query, onWho }: TrailProps) {
  const { me } = useWho()
  const suffix = merchantQuery(query)
  return (
    <table class="cards">
      <thead>
        <tr>
          <th scope="col">When</th>
          <th scope="col">Who</th>
          <th scope="col">What</th>
          <th scope="col">About</th>
        </tr>
      </thead>
      <tbody>
        {entries.map((entry, index) => {
          const { credentialId } = entry
          const href = linkOf(entry)
          return (
            <tr key={`${entry.when} ${index}`}>
              <td>
                <When at={entry.when} />
              </td>
              <td>
                {credentialId ? (
                  <button type="button" class="plain who-did" onClick={() => onWho(credentialId)}>
                    <Foreign text={whoOf(entry, me)} />
                  </button>
                ) : (
                  whoOf(entry, me)
                )}
              </td>
              <td>
                <strong>{entry.what}</strong>
                <Values entry={entry} />
              </td>
              <td>{href ? <a href={`${href}${suffix}`}>{SUBJECTS[entry.subject]}</a> : SUBJECTS[entry.subject]}</td>
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}
