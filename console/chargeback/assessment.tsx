import type { Assessed } from './data.ts'

/** Why the chance is what it is: signed bars from a zero line, which add up to it. */
export function AssessmentPanel({ assessment }: { assessment: Assessed }) {
  const { winProbability, recommendation, why, reasons, scope, deadline, handling } = assessment
  const widest = Math.max(1, ...reasons.map(({ effect }) => Math.abs(effect)))
  return (
    <section class="panel" aria-labelledby="assessment">
      <h2 id="assessment">
        {winProbability === undefined ? 'No estimate' : `${winProbability} % to win`}
        {recommendation && ` · advice: ${recommendation}`}
      </h2>
      <p>{why}</p>
      {reasons.length > 0 && (
        <table class="bars">
          <caption class="visually-hidden">What moved the probability, in percentage points</caption>
          <tbody>
            {reasons.map(({ name, effect, why: because }) => (
              <tr key={name}>
                <th scope="row">{because}</th>
                <td>
                  <svg viewBox="-50 0 100 8" preserveAspectRatio="none" aria-hidden="true">
                    <rect
                      class={effect < 0 ? 'minus' : 'plus'}
                      x={effect < 0 ? (effect / widest) * 50 : 0}
                      y="0"
                      width={(Math.abs(effect) / widest) * 50}
                      height="8"
                    />
                    <line x1="0" x2="0" y1="0" y2="8" />
                  </svg>
                </td>
                <td class="figure">
                  {effect > 0 ? '+' : effect < 0 ? '−' : ''}
                  {Math.abs(effect).toFixed(1)}
                </td>
              </tr>
            ))}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row">Together</th>
              <td />
              <td class="figure">{reasons.reduce((sum, { effect }) => sum + effect, 0).toFixed(1)}</td>
            </tr>
          </tfoot>
        </table>
      )}
      <dl class="facts">
        <div>
          <dt>Scope</dt>
          <dd>{scope.why}</dd>
        </div>
        <div>
          <dt>Deadline</dt>
          <dd>{deadline.why}</dd>
        </div>
        <div>
          <dt>Handling</dt>
          <dd>{handling.why}</dd>
        </div>
      </dl>
    </section>
  )
}
