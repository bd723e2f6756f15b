import { withQuery } from '../app/router.ts'
import { useWho } from '../app/who.ts'
import { Foreign } from '../parts/foreign.tsx'
import { figure, money } from '../parts/money.ts'
import { type Preview, reasonText, type Share } from './scope-data.ts'

const SHARES = [
  ['leaves', 'Would not be answered any more'],
  ['returns', 'Would be handled again'],
  ['untouched', 'Stay as they are'],
] as const

/** Count and sums of a share, one for each currency. */
export function shareText({ count, amounts }: Pick<Share, 'count' | 'amounts'>): string {
  const sums = amounts.map(({ amount, currency }) => money(Number(amount), currency))
  return [figure(count), ...sums].join(' · ')
}

/** What the rules would change now, by its reasons. */
export function PreviewPanel({ preview }: { preview: Preview }) {
  const { merchant } = useWho()
  const suffix = withQuery(new URLSearchParams(), { m: merchant })
  return (
    <section class="panel" aria-labelledby="preview">
      <h2 id="preview">What would change now</h2>
      {SHARES.map(([name, words]) => {
        const share = preview[name]
        return (
          <div key={name}>
            <h3>
              {words}: {shareText(share)}
            </h3>
            {share.count > 0 && (
              <ul class="plain-list">
                {share.reasons.map((reason) => (
                  <li key={reasonText(reason)}>
                    <Foreign text={reasonText(reason)} /> <span class="muted">{shareText(reason)}</span>
                  </li>
                ))}
              </ul>
            )}
            {share.count > 0 && name !== 'untouched' && (
              <p>
                For example{' '}
                {share.examples.slice(0, 3).map((id, index) => (
                  <span key={id}>
                    {index > 0 && ', '}
                    <a href={`/console/chargebacks/${id}${suffix}`} target="_blank" rel="noopener">
                      case {index + 1}
                    </a>
                  </span>
                ))}
              </p>
            )}
          </div>
        )
      })}
      <p class="muted">Of this moment: a poll or a person can move a chargeback before the rules are saved.</p>
    </section>
  )
}
