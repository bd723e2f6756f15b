import { type ScreenProps, withQuery } from '../app/router.ts'
import { Automatic } from './automatic.tsx'
import { Playbooks } from './playbooks.tsx'
import { Scope } from './scope.tsx'

const TABS = [
  ['scope', 'Out of scope'],
  ['automatic', 'Automatic submission'],
  ['playbooks', 'Playbooks'],
] as const

/** What Recoup does by itself: which chargebacks it leaves, what it submits, and what it writes. */
export function Screen({ query }: ScreenProps) {
  const tab = TABS.find(([name]) => name === query.get('tab'))?.[0] ?? 'scope'
  return (
    <main>
      <h1>Rules</h1>
      <nav class="tabs" aria-label="Rules">
        {TABS.map(([name, words]) => (
          <a
            key={name}
            href={`/console/rules${withQuery(query, { tab: name === 'scope' ? undefined : name })}`}
            aria-current={name === tab ? 'page' : undefined}
          >
            {words}
          </a>
        ))}
      </nav>
      {tab === 'scope' && <Scope query={query} />}
      {tab === 'automatic' && <Automatic />}
      {tab === 'playbooks' && <Playbooks />}
    </main>
  )
}
