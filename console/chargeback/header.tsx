import { serverNow } from '../api/connection.ts'
import { isUrgent, timeLeftInHours } from '../parts/due.ts'
import { money } from '../parts/money.ts'
import { Reason } from '../parts/reason.tsx'
import { StatusName } from '../parts/sign.tsx'
import { visible } from '../parts/visible.ts'
import { When } from '../parts/when.tsx'
import { nameOf } from '../parts/words.ts'
import { Acts } from './acts.tsx'
import type { Assessed, Details, Draft } from './data.ts'
import { Automatic, isAutomatic } from './hold.tsx'

interface HeaderProps {
  chargeback: Details
  assessment: Assessed | undefined
  draft: Draft | undefined
  onReview: (() => void) | undefined
}

/** Amount, time left and status on top, as the first things to read, with the acts. */
export function CaseHeader({ chargeback, assessment, draft, onReview }: HeaderProps) {
  const { amount, currency, dueDate, psp, lifecycleStage, cardScheme, cardLastFourDigits, pspStatus } = chargeback
  const now = serverNow()
  const open = pspStatus === 'needs_response'
  return (
    <header class="case">
      <div>
        <h1>{money(amount, currency)}</h1>
        <p class={open && isUrgent(dueDate, now) ? 'due bad' : 'due'}>
          {dueDate === undefined ? (
            'No due date'
          ) : open ? (
            <Due dueDate={dueDate} now={now} />
          ) : (
            <>
              Was due <When at={dueDate} zoned />
            </>
          )}
        </p>
        <p>
          {[psp, lifecycleStage, cardScheme].flatMap((word) => (word ? [nameOf(word)] : [])).join(' · ')}
          {cardLastFourDigits && ` •••• ${visible(cardLastFourDigits)}`} ·{' '}
          <Reason code={chargeback.reasonCode} reason={chargeback.reason} />
        </p>
        <p>
          <StatusName class="badge" word={pspStatus} /> <StatusName class="badge" word={chargeback.status} />{' '}
          {assessment && <span class="muted">{assessment.handling.why}</span>}
        </p>
        {draft && isAutomatic(draft) && (
          <p>
            <Automatic automatic={draft.automatic} />
          </p>
        )}
      </div>
      <Acts chargeback={chargeback} assessment={assessment} onReview={onReview} />
    </header>
  )
}

function Due({ dueDate, now }: { dueDate: string; now: number }) {
  const left = timeLeftInHours(dueDate, now)
  return (
    <>
      {left === 'overdue' ? 'Overdue since' : `Due in ${left} ·`} <When at={dueDate} zoned />
    </>
  )
}
