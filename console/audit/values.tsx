import { Foreign } from '../parts/foreign.tsx'
import { labelOf, valueText } from '../parts/words.ts'
import { changesOf, type Entry } from './data.ts'

/** What an act changed, in small print. */
export function Values({ entry }: { entry: Entry }) {
  const changes = changesOf(entry)
  if (changes.length === 0) return null
  return (
    <dl class="changes">
      {changes.map(([name, was, is]) => (
        <div key={name}>
          <dt>{labelOf(name)}</dt>
          <dd>
            {was !== undefined && (
              <>
                <del>
                  <Foreign text={valueText(was) || '–'} />
                </del>{' '}
                →{' '}
              </>
            )}
            <Foreign text={valueText(is) || '–'} />
          </dd>
        </div>
      ))}
    </dl>
  )
}
