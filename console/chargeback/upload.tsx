import { useId, useRef } from 'preact/hooks'
import { call } from '../api/call.ts'
import { useWho } from '../app/who.ts'
import { FieldProblem } from '../parts/form.tsx'
import { useAct } from '../parts/use-act.ts'
import { labelOf } from '../parts/words.ts'
import { readAgain } from './data.ts'
import { FILE_KINDS, faultOfFile } from './missing/wanted.ts'

export interface Uploaded {
  fileId: string
  name: string
}

interface UploadProps {
  id: string
  /** What the file shows, as chosen or asked for. */
  kind: string
  onKind: (kind: string) => void
  onUploaded: (file: Uploaded) => void
}

/** Adds a file to the evidence: what it shows and a caption go along as its metadata. */
export function Upload({ id, kind, onKind, onUploaded }: UploadProps) {
  const { merchant, away } = useWho()
  const field = useId()
  const chosen = useRef<HTMLInputElement>(null)
  const caption = useRef<HTMLInputElement>(null)
  const { act, busy, problem, setProblem } = useAct()

  async function upload(event: Event) {
    event.preventDefault()
    if (busy || away) return
    const file = chosen.current?.files?.[0]
    const fault = file ? faultOfFile(file) : 'Choose a file first.'
    if (!file || fault) return refuse(fault ?? '')
    const form = new FormData()
    const words = caption.current?.value.trim() ?? ''
    form.append('file', file, file.name.slice(-100))
    form.append('purpose', file.type === 'application/pdf' ? 'evidence_file' : 'evidence_image')
    form.append('metadata', JSON.stringify({ chargebackId: id, kind, ...(words !== '' && { caption: words }) }))
    const done = await act({
      about: [file.name, file.size, file.lastModified, kind, words],
      run: async (key) => {
        const stored = await call('uploadFile', { form, key, merchant })
        onUploaded({ fileId: stored.id, name: file.name })
      },
      done: 'The file is stored',
    })
    if (!done) return chosen.current?.focus()
    ;(event.target as HTMLFormElement).reset()
    await readAgain(id)
  }

  function refuse(words: string) {
    setProblem(words)
    chosen.current?.focus()
  }

  return (
    <form class="upload" onSubmit={upload} noValidate>
      <label for={field}>File (PDF, PNG or JPEG, 6 MB at most)</label>
      <input
        id={field}
        ref={chosen}
        type="file"
        accept="application/pdf,image/png,image/jpeg"
        aria-describedby={problem ? `${field}-problem` : undefined}
      />
      <label for={`${field}-kind`}>It shows</label>
      <select id={`${field}-kind`} value={kind} onChange={(event) => onKind(event.currentTarget.value)}>
        {FILE_KINDS.map((one) => (
          <option key={one} value={one}>
            {labelOf(one)}
          </option>
        ))}
      </select>
      <label for={`${field}-caption`}>Caption, for the bank</label>
      <input id={`${field}-caption`} ref={caption} type="text" maxLength={200} autoComplete="off" />
      <button type="submit" aria-disabled={busy || away}>
        {busy ? 'Sending…' : 'Upload'}
      </button>
      <FieldProblem id={`${field}-problem`} text={problem} />
    </form>
  )
}
