import { useEffect } from 'preact/hooks'
import { CallFailure } from '../api/failure.ts'
import { useRead } from '../api/use-read.ts'
import { useKeys } from '../app/keys.ts'
import { navigate } from '../app/navigation.ts'
import { merchantQuery, QUEUE, type ScreenProps, withQuery } from '../app/router.ts'
import { elsewhere, useWho } from '../app/who.ts'
import { Foreign } from '../parts/foreign.tsx'
import { Neighbours } from '../parts/neighbours.tsx'
import { EXPAND } from '../parts/read-before.ts'
import { Empty, Failed, Loading } from '../parts/states.tsx'
import { nameOf } from '../parts/words.ts'
import { AssessmentPanel } from './assessment.tsx'
import { ACCEPTANCE_REQUESTED, requestedBy, requestOf, SUBMISSION_REQUESTED } from './data.ts'
import { EvidencePart } from './evidence.tsx'
import { FactsPanel } from './facts.tsx'
import { CaseHeader } from './header.tsx'
import { MissingPanel } from './missing/panel.tsx'
import { AcceptanceProgress, SubmissionProgress } from './progress.tsx'
import { Tabs } from './tabs.tsx'
import { TimelinePanel } from './timeline.tsx'
import { useDraft } from './use-draft.ts'

const EVERY_MS = 5_000

export function Screen({ params: { id = '' }, query }: ScreenProps) {
  const { merchant } = useWho()
  const about = { params: { id }, merchant }
  const read = useRead('readChargeback', { ...about, query: { expand: EXPAND } }, EVERY_MS)
  const assessed = useRead('readAssessment', about, EVERY_MS)
  const told = useRead('readTimeline', about, EVERY_MS)
  const chargeback = read.data?.data
  const assessment = assessed.data?.data
  const events = told.data?.data
  const { draft, failure: unread, again } = useDraft(id, events ?? [])
  const back = `${QUEUE}${merchantQuery(query)}`
  const tab = query.get('tab') === 'evidence' ? 'evidence' : 'case'
  const addressOf = (to: string) => location.pathname + withQuery(query, { tab: to === 'case' ? undefined : to })
  const show = (to: string) => to !== tab && navigate(addressOf(to))
  useKeys([
    { keys: 'e', what: 'Evidence', act: () => show('evidence') },
    { keys: 'c', what: 'Case', act: () => show('case') },
  ])
  useEffect(() => {
    if (tab === 'evidence') document.getElementById('evidence')?.focus({ preventScroll: true })
  }, [tab])

  if (read.failure instanceof CallFailure && read.failure.status === 404) return <Gone back={back} />
  const accepted = requestOf(events ?? [], ACCEPTANCE_REQUESTED)
  const submitted = requestOf(events ?? [], SUBMISSION_REQUESTED)
  const psp = nameOf(chargeback?.psp ?? 'the PSP')
  return (
    <main>
      <Neighbours id={id} query={query} />
      {!chargeback && <h1 class="visually-hidden">Chargeback</h1>}
      {!chargeback && !read.failure && <Loading rows={8} />}
      {read.failure && <Failed failure={read.failure} again={read.again} />}
      {chargeback && (
        <>
          <CaseHeader
            chargeback={chargeback}
            assessment={assessment}
            draft={draft}
            onReview={tab === 'case' ? () => show('evidence') : undefined}
          />
          {accepted && <AcceptanceProgress id={id} psp={psp} by={requestedBy(accepted)} />}
          {submitted && <SubmissionProgress id={id} psp={psp} by={requestedBy(submitted)} />}
          <Tabs tab={tab} draft={draft} addressOf={addressOf} />
          <div class={tab === 'case' ? 'part' : 'part on-paper'}>
            <div class="panels">
              <div class="column">
                {assessment ? <AssessmentPanel assessment={assessment} /> : !assessed.failure && <Loading rows={4} />}
                {assessed.failure && <Failed failure={assessed.failure} again={assessed.again} />}
                <FactsPanel chargeback={chargeback} />
              </div>
              <div class="column">
                {assessment ? (
                  <MissingPanel chargeback={chargeback} assessment={assessment} />
                ) : (
                  !assessed.failure && <Loading rows={3} />
                )}
                {events ? <TimelinePanel events={events} /> : !told.failure && <Loading rows={4} />}
                {told.failure && <Failed failure={told.failure} again={told.again} />}
              </div>
            </div>
          </div>
          <div class={tab === 'evidence' ? 'part' : 'part on-paper'}>
            {unread && <Failed failure={unread} again={again} />}
            <EvidencePart chargeback={chargeback} draft={draft} shown={tab === 'evidence'} />
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
          There is no chargeback with this id in {name && <Foreign text={name} />}. {elsewhere(me)}
        </p>
        <p>
          <a href={back}>Open the queue</a>
        </p>
      </Empty>
    </main>
  )
}
