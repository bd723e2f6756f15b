import { useState } from 'preact/hooks'
import { call } from '../api/call.ts'
import { cache, useRead } from '../api/use-read.ts'
import { mayManage, useWho } from '../app/who.ts'
import { announce } from '../parts/announce.tsx'
import { ErrorSummary, Problem } from '../parts/form.tsx'
import { faultsOf } from '../parts/problems.ts'
import { Failed, Loading } from '../parts/states.tsx'
import { useAct } from '../parts/use-act.ts'
import { PLAY_NAMES } from './play-names.ts'
import {
  ownPolicyOf,
  type PolicyPreview,
  policyDraftOf,
  policyFaults,
  policyText,
  type Settings,
} from './policy-data.ts'
import { POLICY_FIELDS, PolicyFields } from './policy-fields.tsx'
import { PolicyPreviewPanel } from './policy-preview.tsx'
import { PreviewFirst } from './preview-first.tsx'
import { useRefused } from './refused.ts'
import { SavePolicy } from './save-policy.tsx'

/** What Recoup submits without being asked. */
export function Automatic() {
  const { me, merchant } = useWho()
  const { data, failure, again } = useRead('readSettings', { merchant })
  return (
    <>
      <p>
        Recoup builds evidence by itself. With an automatic policy it also submits it, a while before the due date,
        unless a person holds it or answers first.
      </p>
      {failure && !data && <Failed failure={failure} again={again} />}
      {!data && !failure && <Loading rows={5} />}
      {data && (
        <>
          <Now settings={data.data} />
          {mayManage(me) && <PolicyEditor settings={data.data} />}
        </>
      )}
    </>
  )
}

/** The policy that is valid now, whoever set it. */
function Now({ settings: { automaticSubmission: policy, dataWindowHours, represent } }: { settings: Settings }) {
  return (
    <section class="panel" aria-labelledby="valid">
      <h2 id="valid">Valid now: {policy.mode === 'auto' ? 'automatic' : 'people submit'}</h2>
      {policy.mode === 'auto' ? (
        <p>
          Submitted {policy.hoursBeforeDue} hours before the due date, when the evidence is at least{' '}
          {Math.round(policy.minCompleteness * 100)} % complete.
          {policy.plays && ` Only claims of: ${policy.plays.map((play) => PLAY_NAMES[play]).join('; ')}.`}
          {Object.keys(policy.minAmount).length > 0 &&
            ` From ${Object.entries(policy.minAmount)
              .map(([currency, amount]) => `${currency} ${amount}`)
              .join(', ')} on.`}
        </p>
      ) : (
        <p>Nothing is submitted without a person's decision.</p>
      )}
      <p class="muted">
        Of the account, set by the operator: chargebacks are {represent ? 'fought' : 'not fought'} unless somebody
        decides otherwise; evidence is built {dataWindowHours} hours before the due date at the latest.
      </p>
    </section>
  )
}

const WORDS = {
  show: 'Show what would be submitted',
  save: 'Save this policy…',
  back: 'Back to the saved policy',
  isSaved: 'This is the saved policy.',
  canBeSaved: 'This policy is tried out: it can be saved.',
  lookFirst: 'Look at what would be submitted first; then it can be saved.',
}

/** The merchant's own policy: tried out before it is saved. */
function PolicyEditor({ settings }: { settings: Settings }) {
  const { merchant, away } = useWho()
  const { act, busy, problem } = useAct()
  const [start, setStart] = useState(() => policyDraftOf(settings.ownAutomaticSubmission))
  const [draft, setDraft] = useState(start)
  const [tried, setTried] = useState<{ text: string; preview: PolicyPreview }>()
  const [saving, setSaving] = useState(false)
  const text = policyText(draft)
  const faults = policyFaults(draft)
  const { refused, refuses } = useRefused(faults)
  const unchanged = text === policyText(start)
  const preview = tried?.text === text ? tried.preview : undefined

  async function tryOut() {
    if (busy || away || refuses()) return
    const body = { automaticSubmission: ownPolicyOf(draft) }
    await act({
      about: body,
      run: async (key) => {
        const { data } = await call('previewSettings', { body, key, merchant })
        setTried({ text, preview: data })
        announce(`${data.submits.count} would be submitted`)
      },
    })
  }
  async function saved() {
    setStart(draft)
    setTried(undefined)
    setSaving(false)
    await cache.invalidate('readSettings ')
  }
  return (
    <div class="form">
      <h2>This merchant's own policy</h2>
      <ErrorSummary faults={faultsOf(POLICY_FIELDS, refused)} />
      <PolicyFields draft={draft} faults={faults} onDraft={setDraft} />
      <Problem text={problem} />
      <PreviewFirst
        words={WORDS}
        {...{ busy, away, unchanged }}
        previewed={preview !== undefined}
        onShow={tryOut}
        onSave={() => setSaving(true)}
        onBack={() => setDraft(start)}
      />
      {preview && <PolicyPreviewPanel preview={preview} />}
      {saving && preview && (
        <SavePolicy {...{ draft, start, preview }} onSaved={saved} onClose={() => setSaving(false)} />
      )}
    </div>
  )
}
