import type { ComponentChildren } from 'preact'
import type { Schemas } from '../api/operations.ts'
import { useRead } from '../api/use-read.ts'
import { useWho } from '../app/who.ts'
import { Foreign } from '../parts/foreign.tsx'
import { Failed, Loading } from '../parts/states.tsx'
import { When } from '../parts/when.tsx'
import { labelOf, nameOf, valueText } from '../parts/words.ts'
import type { Details } from './data.ts'

/** Facts of the chargeback that its header doesn't show, in reading order. */
const FACTS: readonly [label: string, read: (chargeback: Details) => ComponentChildren][] = [
  ['Id at the PSP', ({ chargebackId }) => <Foreign text={chargebackId} />],
  ['Posted', ({ postingDate }) => postingDate && <When at={postingDate} />],
  ['Transaction', ({ transactionId }) => transactionId && <Foreign text={transactionId} />],
  ['Paid', ({ transactionCreatedDate }) => transactionCreatedDate && <When at={transactionCreatedDate} />],
  ['Payment method', ({ paymentMethod }) => paymentMethod && nameOf(paymentMethod)],
  ['BIN', ({ bin }) => bin && <Foreign text={bin} />],
  ['Billing country', ({ billingCountry }) => billingCountry && <Foreign text={billingCountry} />],
  ['ARN', ({ arn }) => arn && <Foreign text={arn} />],
  ['Reason group', ({ reasonGroup }) => reasonGroup && nameOf(reasonGroup)],
  [
    'Share of the data',
    ({ enrichmentRatio }) => enrichmentRatio !== undefined && `${Math.round(enrichmentRatio * 100)} %`,
  ],
  ['Recoup id', ({ id }) => <code>{id}</code>],
]

export function FactsPanel({ chargeback }: { chargeback: Details }) {
  const { merchant } = useWho()
  const read = useRead('readDataPoints', { params: { id: chargeback.id }, merchant })
  const known = read.data?.data
  return (
    <section class="panel" aria-labelledby="facts">
      <h2 id="facts">Facts</h2>
      <dl class="facts">
        {FACTS.map(([label, of]) => {
          const value = of(chargeback)
          return value ? (
            <div key={label}>
              <dt>{label}</dt>
              <dd>{value}</dd>
            </div>
          ) : null
        })}
      </dl>
      <h3>Data points</h3>
      {read.failure && <Failed failure={read.failure} again={read.again} />}
      {!known && !read.failure && <Loading rows={2} />}
      {known?.length === 0 && <p class="muted">None is known yet.</p>}
      {known && <KnownPoints known={known} />}
    </section>
  )
}

/** Values in a table; what is known without its value in a sentence. */
function KnownPoints({ known }: { known: readonly Schemas['KnownDataPoint'][] }) {
  const withValue = known.filter(({ value }) => value !== undefined)
  const named = known.filter(({ value }) => value === undefined)
  return (
    <>
      {withValue.length > 0 && (
        <table class="points">
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Value</th>
              <th scope="col">From</th>
            </tr>
          </thead>
          <tbody>
            {withValue.map(({ name, value, source, when }) => (
              <tr key={name}>
                <th scope="row">{labelOf(name)}</th>
                <td>
                  <Foreign text={valueText(value)} />
                </td>
                <td>
                  {source} {when && <When at={when} short />}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {named.length > 0 && (
        <p>
          <span class="muted">Known, without a value here:</span> {named.map(({ name }) => labelOf(name)).join(', ')}
        </p>
      )}
    </>
  )
}
