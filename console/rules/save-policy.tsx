import { call } from '../api/call.ts'
import { useWho } from '../app/who.ts'
import { Confirm } from '../parts/dialog.tsx'
import { Problem } from '../parts/form.tsx'
import { useAct } from '../parts/use-act.ts'
import { ownPolicyOf, type PolicyDraft, type PolicyPreview, policyDraftOf, policyText } from './policy-data.ts'
import { shareText } from './scope-preview.tsx'

interface SavePolicyProps {
  draft: PolicyDraft
  /** The policy as it was read: others may have saved since. */
  start: PolicyDraft
  preview: PolicyPreview
  onSaved: () => Promise<void>
  onClose: () => void
}

export function SavePolicy({ draft, start, preview, onSaved, onClose }: SavePolicyProps) {
  const { merchant } = useWho()
  const { act, busy, problem } = useAct()
  const { count } = preview.submits

  async function save() {
    const body = { automaticSubmission: ownPolicyOf(draft) }
    const run = async (key: string) => {
      const now = policyText(policyDraftOf((await call('readSettings', { merchant })).data.ownAutomaticSubmission))
      // After a lost answer the policy may be saved already: the same key tells.
      if (now !== policyText(start) && now !== policyText(draft))
        throw new Error('Somebody saved another policy meanwhile. Close this, and load the page again to see it.')
      await call('updateSettings', { body, key, merchant })
    }
    if (await act({ about: body, run, done: 'The policy is saved' })) await onSaved()
  }
  return (
    <Confirm
      title="Save this policy?"
      keep="Keep the old policy"
      act={count > 0 ? 'Save, and let Recoup submit' : 'Save the policy'}
      dangerous={count > 0}
      busy={busy}
      onKeep={onClose}
      onAct={save}
    >
      {count > 0 ? (
        <p>
          Recoup will submit {shareText(preview.submits)} without a person looking at the evidence. A submission can't
          be taken back; until it is made, each chargeback can be held.
        </p>
      ) : (
        <p>As things are now, nothing is submitted by this policy.</p>
      )}
      <Problem text={problem} />
    </Confirm>
  )
}
