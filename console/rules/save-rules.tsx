import { call } from '../api/call.ts'
import { useWho } from '../app/who.ts'
import { Confirm } from '../parts/dialog.tsx'
import { Foreign } from '../parts/foreign.tsx'
import { Problem } from '../parts/form.tsx'
import { useAct } from '../parts/use-act.ts'
import { visible } from '../parts/visible.ts'
import { bodyOf, clearedBy, type Draft, draftOf, type Preview, textOf } from './scope-data.ts'
import { shareText } from './scope-preview.tsx'

interface SaveRulesProps {
  id: string
  name: string
  draft: Draft
  /** The rules as they were read: others may have saved since. */
  start: Draft
  preview: Preview
  onSaved: () => Promise<void>
  onClose: () => void
}

export function SaveRules({ id, name, draft, start, preview, onSaved, onClose }: SaveRulesProps) {
  const { merchant } = useWho()
  const { act, busy, problem } = useAct()
  const cleared = clearedBy(draft, start)

  async function save() {
    const body = bodyOf(draft)
    const run = async (key: string) => {
      const now = draftOf((await call('readScopeSettings', { params: { id }, merchant })).data)
      // After a lost answer the rules may be saved already: the same key tells.
      if (textOf(now) !== textOf(start) && textOf(now) !== textOf(draft))
        throw new Error('Somebody saved other rules meanwhile. Close this, and load the page again to see them.')
      await call('replaceScopeSettings', { params: { id }, body, key, merchant })
    }
    if (await act({ about: body, run, done: 'The rules are saved' })) await onSaved()
  }
  return (
    <Confirm
      title="Save these rules?"
      keep="Keep the old rules"
      act={`Save the rules of ${visible(name)}`}
      busy={busy}
      onKeep={onClose}
      onAct={save}
    >
      <ul class="plain-list">
        <li>{shareText(preview.leaves)} would not be answered any more.</li>
        <li>{shareText(preview.returns)} would be handled again.</li>
      </ul>
      {cleared.length > 0 && (
        <p>
          Without a rule from now on: <Foreign text={cleared.join(', ')} />.
        </p>
      )}
      <p>They are valid for new chargebacks at once, and for open ones within a minute. Rules can be changed again.</p>
      <Problem text={problem} />
    </Confirm>
  )
}
