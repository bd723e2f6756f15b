import { useRead } from '../api/use-read.ts'
import { mayWork, useWho } from '../app/who.ts'
import { Foreign } from '../parts/foreign.tsx'
import { labelOf } from '../parts/words.ts'
import type { Draft } from './data.ts'
import { FileOnDemand } from './preview.tsx'

/** What the package says and shows: its sentences, files and texts, and what is left out with why. */
export function PackageView({ draft }: { draft: Draft }) {
  const { me } = useWho()
  const { statements, exhibits, texts, textsLeftOut, filesLeft, warnings } = draft
  const kept = statements.filter(({ kept: said }) => said)
  const dropped = statements.filter(({ kept: said }) => !said)
  const fields = Object.entries(texts ?? {})
  return (
    <>
      {!mayWork(me) && (
        <p class="muted">
          The PDF, sentences, captions and texts may name persons. People whose role is work can read them. Yours is{' '}
          {me.role}.
        </p>
      )}
      {warnings.length > 0 && (
        <div class="notice warn">
          <h3>Look at this first</h3>
          <ul>
            {warnings.map((one) => (
              <li key={one}>
                <Foreign text={one} />
              </li>
            ))}
          </ul>
        </div>
      )}
      <h3>What it says</h3>
      {kept.length === 0 && <p class="muted">Nothing: no sentence has the data that it needs.</p>}
      <ul>
        {kept.map(({ id, text, exhibits: letters }) => (
          <li key={id}>
            {text === undefined ? labelOf(id) : <Foreign text={text} />}{' '}
            {letters.length > 0 && <strong>[{letters.join(', ')}]</strong>}
          </li>
        ))}
      </ul>
      {dropped.length > 0 && (
        <details>
          <summary>{counted(dropped.length, 'sentence')} left out</summary>
          <ul>
            {dropped.map(({ id, why = '' }) => (
              <li key={id}>
                {labelOf(id)}: <Foreign text={why} />
              </li>
            ))}
          </ul>
        </details>
      )}
      <h3>Exhibits</h3>
      {exhibits.length === 0 && <p class="muted">No file belongs to it.</p>}
      <ul class="plain-list">
        {exhibits.map(({ letter, fileId, kind, caption, pages }) => (
          <li key={fileId}>
            <strong>{letter}</strong> {labelOf(kind)}
            {caption && (
              <>
                : <Foreign text={caption} />
              </>
            )}
            {pages !== undefined && <span class="muted"> · {counted(pages, 'page')}</span>}
            {mayWork(me) && <FileOnDemand fileId={fileId} title={`Exhibit ${letter}`} what={`exhibit ${letter}`} />}
          </li>
        ))}
        {filesLeft.map(({ fileId, why }) => (
          <li key={fileId}>
            Left out: <FileName fileId={fileId} /> — <Foreign text={why} />
          </li>
        ))}
      </ul>
      {fields.length + textsLeftOut.length > 0 && (
        <>
          <h3>Texts for the PSP's fields</h3>
          <dl class="facts">
            {fields.map(([field, text]) => (
              <div key={field}>
                <dt>{labelOf(field)}</dt>
                <dd>
                  <Foreign text={text} />
                </dd>
              </div>
            ))}
            {textsLeftOut.map(({ field, why }) => (
              <div key={`left ${field}`}>
                <dt>{labelOf(field)}</dt>
                <dd class="muted">
                  Not sent: <Foreign text={why} />
                </dd>
              </div>
            ))}
          </dl>
        </>
      )}
    </>
  )
}

export const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`

/** A file's name as it was uploaded; its kind for those who may not see names. */
function FileName({ fileId }: { fileId: string }) {
  const { merchant } = useWho()
  const { data } = useRead('readFile', { params: { id: fileId }, merchant })
  // Also when it can't be read: why it was left out stands beside it.
  return <Foreign text={data?.data.name ?? 'a file'} />
}
