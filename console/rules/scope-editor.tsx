import { useState } from 'preact/hooks'
import { call } from '../api/call.ts'
import { cache } from '../api/use-read.ts'
import { mayManage, useWho } from '../app/who.ts'
import { announce } from '../parts/announce.tsx'
import { Problem, TextField } from '../parts/form.tsx'
import { useAct } from '../parts/use-act.ts'
import { ruleValue } from '../parts/words.ts'
import { PreviewFirst } from './preview-first.tsx'
import { SaveRules } from './save-rules.tsx'
import {
  bodyOf,
  DIMENSIONS,
  draftOf,
  faultOf,
  NAMES,
  type Options,
  type Preview,
  type Rules,
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
  const fault = faultOf(draft)
  const unchanged = text === textOf(start)
  const may = mayManage(me)
  const preview = tried?.text === text ? tried.preview : undefined

  async function tryOut() {
    const stopped = busy || away || fault !== undefined
    if (stopped) return
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
          <TextField
            label="Smallest in scope"
            inputMode="decimal"
            readOnly={!may}
            value={draft.min}
            problem={fault}
            onValue={(min) => setDraft((former) => ({ ...former, min }))}
          />
          <TextField
            label="Largest in scope"
            inputMode="decimal"
            readOnly={!may}
            value={draft.max}
            onValue={(max) => setDraft((former) => ({ ...former, max }))}
          />
        </div>
      </fieldset>
      {may && (
        <>
          <Problem text={problem} />
          <PreviewFirst
            words={WORDS}
            {...{ busy, away, unchanged }}
            cannotShow={away || fault !== undefined}
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
