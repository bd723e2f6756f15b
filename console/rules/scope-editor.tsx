import { useState } from 'preact/hooks'
import { call } from '../api/call.ts'
import { cache } from '../api/use-read.ts'
import { mayManage, useWho } from '../app/who.ts'
import { announce } from '../parts/announce.tsx'
import { ErrorSummary, Problem, TextField } from '../parts/form.tsx'
import { faultsOf, idOf } from '../parts/problems.ts'
import { useAct } from '../parts/use-act.ts'
import { ruleValue } from '../parts/words.ts'
import { PreviewFirst } from './preview-first.tsx'
import { useRefused } from './refused.ts'
import { SaveRules } from './save-rules.tsx'
import {
  bodyOf,
  DIMENSIONS,
  draftOf,
  NAMES,
  type Options,
  type Preview,
  type Rules,
  scopeFaults,
  textOf,
} from './scope-data.ts'
import { PreviewPanel } from './scope-preview.tsx'
import { WordChecks } from './word-checks.tsx'

interface ScopeEditorProps {
  id: string
  name: string
  rules: Rules
  options: Options
}

const AMOUNTS = [
  { name: 'min', title: 'Smallest in scope' },
  { name: 'max', title: 'Largest in scope' },
] as const

const WORDS = {
  show: 'Show what would change',
  save: 'Save these rules…',
  back: 'Back to the saved rules',
  isSaved: 'These are the saved rules.',
  canBeSaved: 'These rules are tried out: they can be saved.',
  lookFirst: 'Look at what would change first; then they can be saved.',
}

/** Rules are tried out before they are saved: saving needs a preview of these very rules. */
export function ScopeEditor({ id, name, rules, options }: ScopeEditorProps) {
  const { me, merchant, away } = useWho()
  const { act, busy, problem } = useAct()
  const [start, setStart] = useState(() => draftOf(rules))
  const [draft, setDraft] = useState(start)
  const [tried, setTried] = useState<{ text: string; preview: Preview }>()
  const [saving, setSaving] = useState(false)
  const text = textOf(draft)
  const faults = scopeFaults(draft)
  const { refused, refuses } = useRefused(faults)
  const unchanged = text === textOf(start)
  const may = mayManage(me)
  const preview = tried?.text === text ? tried.preview : undefined

  async function tryOut() {
    if (busy || away || refuses()) return
    const body = bodyOf(draft)
    await act({
      about: body,
      run: async (key) => {
        const { data } = await call('previewScopeSettings', { params: { id }, body, key, merchant })
        setTried({ text, preview: data })
        announce(`${data.leaves.count} would leave, ${data.returns.count} would come back`)
      },
    })
  }
  async function saved() {
    setStart(draft)
    setTried(undefined)
    setSaving(false)
    await cache.invalidate('readScopeSettings ')
  }

  return (
    <div class="form wide-form">
      <ErrorSummary faults={faultsOf(AMOUNTS, refused)} />
      {NAMES.map((dimension) => (
        <WordChecks
          key={dimension}
          title={DIMENSIONS[dimension]}
          options={options[dimension]}
          chosen={draft.words[dimension]}
          label={(word) => ruleValue(dimension, word)}
          {...(may && {
            onChosen: (chosen: string[]) =>
              setDraft((former) => ({ ...former, words: { ...former.words, [dimension]: chosen } })),
          })}
        />
      ))}
      <fieldset>
        <legend>Amounts</legend>
        <p class="muted">In units of each chargeback's own currency. What is smaller or larger is out of scope.</p>
        <div class="checks">
          {AMOUNTS.map(({ name, title }) => (
            <TextField
              key={name}
              id={idOf(name)}
              label={title}
              inputMode="decimal"
              readOnly={!may}
              value={draft[name]}
              problem={faults[name]}
              onValue={(amount) => setDraft((former) => ({ ...former, [name]: amount }))}
            />
          ))}
        </div>
      </fieldset>
      {may && (
        <>
          <Problem text={problem} />
          <PreviewFirst
            words={WORDS}
            {...{ busy, away, unchanged }}
            previewed={preview !== undefined}
            onShow={tryOut}
            onSave={() => setSaving(true)}
            onBack={() => setDraft(start)}
          />
        </>
      )}
      {preview && <PreviewPanel preview={preview} />}
      {saving && preview && (
        <SaveRules {...{ id, name, draft, start, preview }} onSaved={saved} onClose={() => setSaving(false)} />
      )}
    </div>
  )
}
