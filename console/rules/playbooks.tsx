import { useRead } from '../api/use-read.ts'
import { useWho } from '../app/who.ts'
import { Foreign } from '../parts/foreign.tsx'
import { Failed, Loading } from '../parts/states.tsx'
import { When } from '../parts/when.tsx'
import { labelOf } from '../parts/words.ts'
import { PLAY_NAMES } from './play-names.ts'

const WEIGHTS = ['', 'helps', 'compelling', 'required']
const FROM = { default: '', account: 'your own', off: 'left out' } as const

const countOf = (count: number) => (count === 1 ? 'one sentence' : `${count} sentences`)

/** The sentences that evidence is written from, by kind of claim. */
export function Playbooks() {
  const { merchant } = useWho()
  const { data, failure, again } = useRead('listPlaybooks', { merchant })
  return (
    <>
      <p>
        Evidence is written from these sentences. One is written only if every fact in it is known, so nothing is
        claimed that the data doesn't say. The operator stores your own sentences in place of them.
      </p>
      {failure && !data && <Failed failure={failure} again={again} />}
      {!data && !failure && <Loading rows={8} />}
      {data?.data.map(({ play, version, override, overriddenAt, manualOnly, overlay, sentences }) => (
        <details key={play} class="panel playbook">
          <summary>
            <h2>{PLAY_NAMES[play]}</h2>{' '}
            <span class="muted">
              {countOf(sentences.filter(({ from }) => from !== 'off').length)} · version {version}
              {override !== undefined && ` · your version ${override}`}
              {overlay && ' · before every other one'}
              {manualOnly && ' · people submit it'}
            </span>
          </summary>
          {overriddenAt && (
            <p class="muted">
              Your own sentences are of <When at={overriddenAt} />.
            </p>
          )}
          <ul class="plain-list sentences">
            {sentences.map(({ id, text, weight, from, files }) => (
              <li key={id} class={from === 'off' ? 'off' : undefined}>
                <Foreign text={text} />
                <br />
                <span class="muted">
                  {[
                    WEIGHTS[weight],
                    FROM[from],
                    files.length > 0 && `shown by: ${files.map(labelOf).join(', ').toLowerCase()}`,
                  ]
                    .filter(Boolean)
                    .join(' · ')}
                </span>
              </li>
            ))}
          </ul>
        </details>
      ))}
    </>
  )
}
