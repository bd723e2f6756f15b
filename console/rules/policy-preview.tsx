import { When } from '../parts/when.tsx'
import { BLOCKERS, type PolicyPreview } from './policy-data.ts'
import { shareText } from './scope-preview.tsx'

/** What the policy would do with the chargebacks that wait for a response, as they are now. */
export function PolicyPreviewPanel({ preview: { submits, blocked, complete } }: { preview: PolicyPreview }) {
  const all = blocked.reduce((sum, { count }) => sum + count, submits.count)
  return (
    <section class="panel" aria-labelledby="preview">
      <h2 id="preview">
        {submits.count} of {all} open ones would be submitted
      </h2>
      <p>
        {shareText(submits)}
        {submits.nextAt && (
          <>
            , the first one <When at={submits.nextAt} />
          </>
        )}
      </p>
      {blocked.length > 0 && (
        <>
          <h3>What stops the others first</h3>
          <ul class="plain-list">
            {blocked.map((share) => (
              <li key={share.code}>
                {BLOCKERS[share.code]} <span class="muted">{shareText(share)}</span>
              </li>
            ))}
          </ul>
        </>
      )}
      <p class="muted">
        As they are now: data that arrives changes it.{!complete && ' Only the next 1,000 due are counted.'}
      </p>
    </section>
  )
}
