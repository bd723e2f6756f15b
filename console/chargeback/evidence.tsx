import { useState } from 'preact/hooks'
import { mayWork, useWho } from '../app/who.ts'
import { Problem } from '../parts/form.tsx'
import { visible } from '../parts/visible.ts'
import { When } from '../parts/when.tsx'
import { counted, nameOf } from '../parts/words.ts'
import { ActRow, type Offered } from './acts.tsx'
import type { Details, Draft } from './data.ts'
import { Automatic, HoldDialog, isAutomatic } from './hold.tsx'
import { MissingFromPackage } from './missing/from-package.tsx'
import { PackageView } from './package.tsx'
import { PlanView, usePlan } from './plan.tsx'
import { FileOnDemand, Preview } from './preview.tsx'
import { SubmitDialog } from './submit.tsx'
import { Upload, type Uploaded } from './upload.tsx'

interface EvidenceProps {
  chargeback: Details
  draft: Draft | undefined
  /** Whether a person looks at it: otherwise the PDF is not loaded. */
  shown: boolean
}

type Opened = { submit: { fileId: string; what: string } } | { hold: boolean } | null

/** The evidence as one reads it, what is missing from it, and what can be done with it. */
export function EvidencePart({ chargeback, draft, shown }: EvidenceProps) {
  const { me } = useWho()
  const { id } = chargeback
  const [opened, open] = useState<Opened>(null)
  const [notice, setNotice] = useState<string>()
  const [kind, setKind] = useState('other')
  const [uploads, setUploads] = useState<readonly Uploaded[]>([])
  const dry = usePlan(id)
  const works = mayWork(me)
  const isOpen = chargeback.pspStatus === 'needs_response'
  const close = (words?: string) => {
    open(null)
    setNotice(words)
  }
  const offer = (fileId: string, what: string, prefix = ''): Offered[] => {
    const action = chargeback.actions?.submit ?? { allowed: false }
    return [
      { action: { allowed: !dry.busy }, label: `${prefix}Dry run`, onOpen: () => void dry.tryOut(fileId) },
      {
        action,
        label: `${prefix}Submit…`,
        primary: prefix === '',
        onOpen: () => open({ submit: { fileId, what } }),
      },
    ]
  }
  return (
    <>
      <div class="panels">
        <div class="column">
          <section class="panel" aria-labelledby="evidence">
            <h2 id="evidence" tabindex={-1}>
              {draft ? `Evidence v${draft.version}` : 'Evidence'}
            </h2>
            {draft ? <Summary draft={draft} /> : <p>{withoutDraft(chargeback)}</p>}
            {draft && works && chargeback.actions && (
              <ActRow
                acts={[
                  ...(draft.fileId && draft.state === 'current' ? offer(draft.fileId, whatOf(draft)) : []),
                  ...holdActs(draft, (hold) => open({ hold })),
                ]}
              />
            )}
            {notice && (
              <p class="notice warn" role="status">
                {notice}
              </p>
            )}
            {dry.busy && <p role="status">Asking {nameOf(chargeback.psp ?? 'the PSP')} what it takes…</p>}
            <Problem text={dry.problem} />
            {dry.plan && <PlanView plan={dry.plan} />}
            {draft && <PackageView draft={draft} />}
          </section>
          {shown && works && draft?.fileId && (
            <section class="panel no-print" aria-labelledby="pdf">
              <h2 id="pdf">The PDF</h2>
              <Preview key={draft.fileId} fileId={draft.fileId} title={`The PDF of evidence v${draft.version}`} />
            </section>
          )}
        </div>
        <div class="column">
          {draft && <MissingFromPackage chargeback={chargeback} draft={draft} onKind={setKind} />}
          {works && isOpen && (
            <section class="panel no-print" aria-labelledby="upload">
              <h2 id="upload">Add a file</h2>
              <Upload id={id} kind={kind} onKind={setKind} onUploaded={(file) => setUploads((all) => [...all, file])} />
              {uploads.map((file) => (
                <UploadedFile
                  key={file.fileId}
                  file={file}
                  acts={offer(file.fileId, `the file ${file.name} alone`, 'This file alone: ')}
                />
              ))}
            </section>
          )}
        </div>
      </div>
      {opened && 'submit' in opened && <SubmitDialog chargeback={chargeback} {...opened.submit} onClose={close} />}
      {opened && 'hold' in opened && <HoldDialog chargeback={chargeback} hold={opened.hold} onClose={() => close()} />}
    </>
  )
}

const whatOf = ({ version, pages }: Draft) =>
  `evidence v${version}${pages === undefined ? '' : ` (${counted(pages, 'page')})`}`

/** None once it was answered: then there is nothing to hold. */
function holdActs(draft: Draft, onOpen: (hold: boolean) => void): Offered[] {
  const action = { allowed: true }
  if (draft.state === 'current' && draft.automatic.blockedBy.includes('held'))
    return [{ action, label: 'Release…', onOpen: () => onOpen(false) }]
  return isAutomatic(draft) ? [{ action, label: 'Hold…', onOpen: () => onOpen(true) }] : []
}

function withoutDraft({ status }: Details): string {
  if (status === 'building_evidence') return 'Recoup is building it. It is here within a minute or two.'
  if (status === 'waiting_for_data')
    return 'None yet: it is built once enough data is known, or shortly before the due date.'
  return 'None: evidence is built while a chargeback is in building_evidence.'
}

function Summary({ draft }: { draft: Draft }) {
  const { state, pages, bytes, completeness, builtAt, stale } = draft
  return (
    <>
      <p>
        {[
          ...(pages === undefined ? [] : [counted(pages, 'page')]),
          ...(bytes === undefined ? [] : [`${Math.ceil(bytes / 1_024)} KB`]),
          `${Math.round(completeness * 100)} % complete`,
        ].join(' · ')}{' '}
        · built <When at={builtAt} />
      </p>
      {state === 'frozen' && <p class="good">This is what was submitted: it doesn't change any more.</p>}
      {state === 'refused' && <p class="bad">It could not be built. The reasons are below.</p>}
      {stale && <p class="warn">The data has changed since: it is built again within a minute or two.</p>}
      {/* Else the header says it. */}
      {state === 'current' && !isAutomatic(draft) && (
        <p>
          <Automatic automatic={draft.automatic} />
        </p>
      )}
    </>
  )
}

function UploadedFile({ file: { fileId, name }, acts }: { file: Uploaded; acts: readonly Offered[] }) {
  return (
    <div class="uploaded">
      <p>
        <bdi class="foreign">{name}</bdi> is stored. Recoup puts it into the evidence within a minute or two.
      </p>
      <FileOnDemand fileId={fileId} title={`The file ${visible(name)}`} what="this file" />
      <ActRow acts={acts} />
    </div>
  )
}
