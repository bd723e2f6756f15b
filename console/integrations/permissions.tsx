import { Foreign } from '../parts/foreign.tsx'
import type { Integration } from './data.ts'

const SIGNS = { ok: ['●', 'good'], missing: ['▲', 'warn'], unverified: ['○', 'muted'] } as const

/** What the PSP said about the credential's permissions at its last check. */
export function Permissions({ integration: { details } }: { integration: Integration }) {
  const permissions = details?.permissions ?? []
  if (permissions.length === 0) return null
  return (
    <section class="panel" aria-labelledby="permissions">
      <h2 id="permissions">Permissions of the credential</h2>
      <ul class="plain-list">
        {permissions.map(({ permission, state, hint }) => {
          const [shape, tone] = SIGNS[state]
          return (
            <li key={permission}>
              <span class={tone}>
                <span aria-hidden="true">{shape}</span> {state}
              </span>{' '}
              <strong>
                <Foreign text={permission} />
              </strong>{' '}
              <span class="muted">
                <Foreign text={hint} />
              </span>
            </li>
          )
        })}
      </ul>
    </section>
  )
}
