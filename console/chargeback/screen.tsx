import { CallFailure } from '../api/failure.ts'
import { useRead } from '../api/use-read.ts'
import { merchantQuery, QUEUE, type ScreenProps } from '../app/router.ts'
import { useWho } from '../app/who.ts'
import { Neighbours } from '../parts/neighbours.tsx'
import { Empty, Failed, Loading } from '../parts/states.tsx'
import { AssessmentPanel } from './assessment.tsx'
import { EXPAND } from './data.ts'
import { FactsPanel } from './facts.tsx'
import { CaseHeader } from './header.tsx'
import { MissingPanel } from './missing.tsx'
import { AcceptanceProgress } from './progress.tsx'
import { nameOf, TimelinePanel } from './timeline.tsx'

const EVERY_MS = 5_000

export function Screen({ params: { id = '' }, query }: ScreenProps) {
  const { me, merchant } = useWho()
  const about = { params: { id }, merchant }
  const read = useRead('readChargeback', { ...about, query: { expand: EXPAND } }, EVERY_MS)
  const assessed = useRead('readAssessment', about, EVERY_MS)
  const told = useRead('readTimeline', about, EVERY_MS)
  const chargeback = read.data?.data
  const assessment = assessed.data?.data
  const events = told.data?.data
  const back = `${QUEUE}${merchantQuery(query)}`

  if (read.failure instanceof CallFailure && read.failure.status === 404) return <Gone back={back} />
  const requested = events?.findLast(({ what }) => what === 'acceptance requested')
  return (
    <main>
      <Neighbours id={id} query={query} />
      {!chargeback && <h1 class="visually-hidden">Chargeback</h1>}
      {!chargeback && !read.failure && <Loading rows={8} />}
      {read.failure && <Failed failure={read.failure} again={read.again} />}
      {chargeback && (
        <>
          <CaseHeader chargeback={chargeback} assessment={assessment} />
          {requested && (
            <AcceptanceProgress
              id={id}
              psp={chargeback.psp ?? 'the PSP'}
              by={nameOf(requested, me.credentialId, me.name).replace(/^by /, '')}
            />
          )}
          <div class="panels">
            <div class="column">
              {assessment && <AssessmentPanel assessment={assessment} />}
              {assessed.failure && <Failed failure={assessed.failure} again={assessed.again} />}
              <FactsPanel chargeback={chargeback} />
            </div>
            <div class="column">
              {assessment && <MissingPanel chargeback={chargeback} assessment={assessment} />}
              {events && <TimelinePanel events={events} />}
              {told.failure && <Failed failure={told.failure} again={told.again} />}
            </div>
          </div>
        </>
      )}
    </main>
  )
}

/** Missing and another merchant's are the same answer. */
function Gone({ back }: { back: string }) {
  const { me, merchant } = useWho()
  const name = me.merchants.find(({ referenceId }) => referenceId === merchant)?.merchantName
  return (
    <main>
      <h1>No such chargeback</h1>
      <Empty>
        <p>
          There is no chargeback with this id in {name}.
          {me.merchants.length > 1 && ' It may be of another merchant: choose it above.'}
        </p>
        <p>
          <a href={back}>Open the queue</a>
        </p>
      </Empty>
    </main>
  )
}
