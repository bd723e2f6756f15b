import { useState } from 'preact/hooks'
import { call } from '../api/call.ts'
import { CallFailure } from '../api/failure.ts'
import { cache } from '../api/use-read.ts'
import { useWho } from '../app/who.ts'
import { announce } from '../parts/announce.tsx'
import { Confirm } from '../parts/dialog.tsx'
import { money, sums } from '../parts/money.ts'
import { CHANGED, readBefore } from '../parts/read-before.ts'
import { nameOf } from '../parts/words.ts'
import { eachOf } from './each-of.ts'
import type { Item } from './groups.ts'

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

const whyOf = (failure: Error) => (failure instanceof CallFailure && failure.status === 412 ? CHANGED : failure.message)

interface BulkProps {
  selected: readonly Item[]
  onReview: () => void
  /** Those that are selected from now on. */
  onSelected: (ids: readonly string[]) => void
}

export function Bulk({ selected, onReview, onSelected }: BulkProps) {
  const { merchant, away } = useWho()
  const [asked, ask] = useState<Act | null>(null)
  const [busy, setBusy] = useState(false)
  const [failures, setFailures] = useState<readonly { item: Item; why: string }[]>([])
  const why = away
    ? 'The service does not answer.'
    : selected.length > MOST
      ? `At most ${MOST} at a time: ${selected.length} are selected.`
      : undefined

  async function run(act: Act) {
    setBusy(true)
    const results = await eachOf(selected, async (item) => {
      const { tag } = await readBefore(item, merchant)
      const about = { params: { id: item.id }, merchant, key: crypto.randomUUID() }
      // A hold takes no tag: it is about what Recoup does by itself, whatever the chargeback becomes.
      if (act === 'hold') await call('holdEvidenceDraft', { ...about, body: { automatic: false } })
      else await call('decideShouldFight', { ...about, ifMatch: tag, body: { shouldFight: act === 'fight' } })
    })
    const failed = results.flatMap(({ of, failure }) => (failure ? [{ item: of, why: whyOf(failure) }] : []))
    setFailures(failed)
    onSelected(failed.map(({ item }) => item.id))
    setBusy(false)
    ask(null)
    const done = `${ACTS[act].act}: ${results.length - failed.length} of ${results.length} done`
    announce(done, { urgent: failed.length > 0 })
    for (const prefix of ['listChargebacks ', 'readChargeback ', 'readAssessment ', 'readEvidenceDraft '])
      void cache.invalidate(prefix)
  }

  return (
    <section class="bulk" aria-label="Selected">
      <strong>{selected.length} selected</strong> <span class="muted">{sums(selected)}</span>
      {(Object.keys(ACTS) as Act[]).map((act) => (
        <button key={act} type="button" aria-disabled={why !== undefined} onClick={() => why === undefined && ask(act)}>
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
      {failures.length > 0 && (
        <ul class="bad failures">
          {failures.map(({ item, why: reason }) => (
            <li key={item.id}>
              {nameOf(item.psp)} {money(item.amount, item.currency)}: {reason}
            </li>
          ))}
        </ul>
      )}
      {asked && (
        <Confirm
          title={ACTS[asked].question}
          keep="Leave them as they are"
          act={`${ACTS[asked].act} (${selected.length})`}
          busy={busy}
          onKeep={() => ask(null)}
          onAct={() => run(asked)}
        >
          <p>
            {selected.length} chargebacks, {sums(selected)}.
          </p>
          <p>{ACTS[asked].words}</p>
        </Confirm>
      )}
    </section>
  )
}
