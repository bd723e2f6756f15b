import { useContext, useEffect, useState } from 'preact/hooks'
import { type Connection, connection, onConnection } from '../api/connection.ts'
import { Foreign } from '../parts/foreign.tsx'
import { visible } from '../parts/visible.ts'
import { clock } from '../parts/when.tsx'
import { navigate } from './navigation.ts'
import { merchantQuery, QUEUE } from './router.ts'
import { Search } from './search.tsx'
import type { Me } from './who.ts'
import { ZoneContext } from './zone.ts'

/** An answer older than this is called old, ms. */
const OLD_MS = 60_000

/** A part of the connection's state. Other parts change with each answer, and don't render who needs only this one. */
export function useConnection<T>(of: (connection: Connection) => T): T {
  const [state, setState] = useState(() => of(connection()))
  useEffect(() => onConnection(() => setState(() => of(connection()))), [])
  return state
}

interface TopBarProps {
  me: Me
  merchant: string | undefined
  query: URLSearchParams
  onHelp: () => void
  onSignOut: () => void
}

export function TopBar({ me, merchant, query, onHelp, onSignOut }: TopBarProps) {
  const [only] = me.merchants
  return (
    <header class="top-bar">
      <a class="brand" href={`${QUEUE}${merchantQuery(query)}`}>
        Recoup
      </a>
      {me.merchants.length > 1 ? (
        <label>
          <span class="visually-hidden">Merchant</span>
          <select
            value={merchant ?? ''}
            onChange={(event) => navigate(`${QUEUE}?${new URLSearchParams({ m: event.currentTarget.value })}`)}
          >
            {merchant === undefined && (
              <option value="" disabled>
                Choose
              </option>
            )}
            {me.merchants.map(({ referenceId, merchantName }) => (
              <option key={referenceId} value={referenceId}>
                {visible(merchantName)}
              </option>
            ))}
          </select>
        </label>
      ) : (
        only && <Foreign text={only.merchantName} />
      )}
      <Search query={query} />
      <span class={`badge ${me.environment}`}>{me.environment}</span>
      <Live />
      <span class="who">
        <Foreign text={me.name} /> <span class="muted">({me.role})</span>
      </span>
      <button type="button" aria-label="Keys and settings" onClick={onHelp}>
        ?
      </button>
      <button type="button" onClick={onSignOut}>
        Sign out
      </button>
    </header>
  )
}

/** Time of the last answer; amber when it is old. */
function Live() {
  const answeredAt = useConnection((state) => state.answeredAt)
  const away = useConnection((state) => state.away)
  const zone = useContext(ZoneContext)
  const [, tick] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => tick((count) => count + 1), 10_000)
    return () => clearInterval(timer)
  }, [])
  if (answeredAt === null) return null
  const old = away || Date.now() - answeredAt > OLD_MS
  return (
    <span class={`live ${old ? 'warn' : 'good'}`}>
      <span aria-hidden="true">{old ? '▲' : '●'}</span> {old ? 'as of' : 'live'} {clock(answeredAt)}
      {zone === 'UTC' && ' UTC'}
    </span>
  )
}
