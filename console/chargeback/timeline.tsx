import { useState } from 'preact/hooks'
import type { Schemas } from '../api/operations.ts'
import { Foreign } from '../parts/foreign.tsx'
import { When } from '../parts/when.tsx'
import { labelOf, valueText } from '../parts/words.ts'

type Event = Schemas['TimelineEvent']

/** What happened, newest first, with what changed. */
export function TimelinePanel({ events }: { events: readonly Event[] }) {
  const [source, setSource] = useState('')
  const sources = [...new Set(events.map((event) => event.source))].sort()
  const shown = events.filter((event) => source === '' || event.source === source).toReversed()
  return (
    <section class="panel" aria-labelledby="timeline">
      <h2 id="timeline">Timeline ({events.length})</h2>
      {sources.length > 1 && (
        <label>
          From{' '}
          <select value={source} onChange={(change) => setSource(change.currentTarget.value)}>
            <option value="">all</option>
            {sources.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
      )}
      <ol class="timeline">
        {shown.map((event, index) => (
          <li key={`${event.when} ${event.what} ${index}`}>
            <p>
              <strong>
                <Foreign text={event.what} />
              </strong>{' '}
              <span class="muted">{event.source}</span>{' '}
              {event.by && (
                <>
                  by <Foreign text={event.by} />{' '}
                </>
              )}
              <span class="muted">
                <When at={event.when} />
              </span>
            </p>
            <Changes before={event.before} after={event.after} />
          </li>
        ))}
      </ol>
    </section>
  )
}

type Values = Record<string, unknown> | undefined

function Changes({ before = {}, after = {} }: { before: Values; after: Values }) {
  const changes = [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((name) => name !== 'credentialId')
    .map((name) => ({ name, was: valueText(before[name]), is: valueText(after[name]) }))
    .filter(({ was, is }) => was !== '' || is !== '')
  if (changes.length === 0) return null
  return (
    <dl class="changes">
      {changes.map(({ name, was, is }) => (
        <div key={name}>
          <dt>{labelOf(name)}</dt>
          <dd>
            {was !== '' && (
              <>
                <del>
                  <Foreign text={was} />
                </del>{' '}
                →{' '}
              </>
            )}
            <Foreign text={is === '' ? 'none' : is} />
          </dd>
        </div>
      ))}
    </dl>
  )
}
