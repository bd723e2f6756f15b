import { useState } from 'preact/hooks'
import { call } from '../api/call.ts'
import { CallFailure, sentenceOf } from '../api/failure.ts'
import { cache } from '../api/use-read.ts'
import type { Undone } from '../app/order.ts'
import { useWho } from '../app/who.ts'
import { announce } from '../parts/announce.tsx'
import { Confirm } from '../parts/dialog.tsx'
import { sums } from '../parts/money.ts'
import { CHANGED, readBefore } from '../parts/read-before.ts'
import { eachOf } from './each-of.ts'
import type { Item } from './groups.ts'
import { UndoneList } from './undone.tsx'

/** Acts that can be taken back. Accepting is none: money, rules and consequences differ in each row. */
const ACTS = {
  fight: {
    label: 'Fight…',
    question: 'Fight these chargebacks?',
    act: 'Fight',
    words: 'Recoup prepares evidence for each. You can decide otherwise later.',
  },
  'no-fight': {
    label: "Don't fight…",
    question: 'Not fight these chargebacks?',
    act: "Don't fight",
    words: 'Not to fight accepts nothing: each dispute stays open until its due date. You can decide otherwise later.',
  },
  hold: {
    label: 'Hold automatic submission…',
    question: 'Hold automatic submission?',
    act: 'Hold',
    words: 'Recoup submits nothing for them by itself until a person releases them.',
  },
} as const
type Act = keyof typeof ACTS

/** Chargebacks of one act: two requests each. */
const MOST = 100

const whyOf = (failure: Error) =>
  failure instanceof CallFailure && failure.status === 412 ? CHANGED : sentenceOf(failure)

interface BulkProps {
  selected: readonly Item[]
  undone: readonly Undone[]
  onReview: () => void
  /** Chargebacks for which the act failed. */
  onUndone: (undone: readonly Undone[]) => void
  /** Those that are selected from now on. */
  onSelected: (ids: readonly string[]) => void
}

/** Acts on what is selected. The list below an open confirmation goes on changing; what the confirmation is about does not. */
export function Bulk({ selected, undone, onReview, onUndone, onSelected }: BulkProps) {
  const { merchant, away } = useWho()
  const [asked, ask] = useState<{ act: Act; items: readonly Item[] } | null>(null)
  const [busy, setBusy] = useState(false)
  const why = away
    ? 'The service does not answer.'
    : selected.length > MOST
      ? `At most ${MOST} at a time: ${selected.length} are selected.`
      : undefined

  async function run(act: Act, items: readonly Item[]) {
    setBusy(true)
    const results = await eachOf(items, async (item) => {
      const { tag } = await readBefore(item, merchant)
      const about = { params: { id: item.id }, merchant, key: crypto.randomUUID() }
      // A hold takes no tag: it is about what Recoup does by itself, whatever the chargeback becomes.
      if (act === 'hold') await call('holdEvidenceDraft', { ...about, body: { automatic: false } })
      else await call('decideShouldFight', { ...about, ifMatch: tag, body: { shouldFight: act === 'fight' } })
    })
    const failed = results.flatMap(({ of, failure }) => (failure ? [{ item: of, why: whyOf(failure) }] : []))
    onUndone(failed)
    onSelected(failed.map(({ item }) => item.id))
    setBusy(false)
    ask(null)
    const done = `${ACTS[act].act}: ${results.length - failed.length} of ${results.length} done`
    announce(done, { urgent: failed.length > 0 })
    for (const prefix of ['listChargebacks ', 'readChargeback ', 'readAssessment ', 'readEvidenceDraft '])
      void cache.invalidate(prefix)
  }

  return (
    <>
      {(selected.length > 0 || undone.length > 0) && (
        <section class="bulk" aria-label="Selected">
          {selected.length > 0 && (
            <>
              <strong>{selected.length} selected</strong> <span class="muted">{sums(selected)}</span>
              {(Object.keys(ACTS) as Act[]).map((act) => (
                <button
                  key={act}
                  type="button"
                  aria-disabled={why !== undefined}
                  onClick={() => why === undefined && ask({ act, items: selected })}
                >
                  {ACTS[act].label}
                </button>
              ))}
              <button type="button" onClick={onReview}>
                Review one by one ›
              </button>
              <button type="button" class="plain" onClick={() => onSelected([])}>
                Clear
              </button>
              {why && <p class="muted">{why}</p>}
            </>
          )}
          {undone.length > 0 && <UndoneList undone={undone} onDismiss={() => onUndone([])} />}
        </section>
      )}
      {asked && (
        <BulkConfirm {...asked} busy={busy} onKeep={() => ask(null)} onAct={() => run(asked.act, asked.items)} />
      )}
    </>
  )
}

interface BulkConfirmProps {
  act: Act
  items: readonly Item[]
  busy: boolean
  onKeep: () => void
  onAct: () => void
}

function BulkConfirm({ act, items, busy, onKeep, onAct }: BulkConfirmProps) {
  const { question, act: words, words: consequence } = ACTS[act]
  return (
    <Confirm
      title={question}
      keep="Leave them as they are"
      act={`${words} (${items.length})`}
      {...{ busy, onKeep, onAct }}
    >
      <p>
        {items.length} chargebacks, {sums(items)}.
      </p>
      <p>{consequence}</p>
    </Confirm>
  )
}
