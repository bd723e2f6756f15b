import { useEffect, useState } from 'preact/hooks'
import { request } from '../api/call.ts'
import { useWho } from '../app/who.ts'
import { Failed, Loading } from '../parts/states.tsx'

interface Content {
  address: string
  isPicture: boolean
}

/** Reads a file's content as an address of this page; it is given up when the component goes. */
function useContent(fileId: string) {
  const { merchant } = useWho()
  const [content, setContent] = useState<Content>()
  const [failure, setFailure] = useState<Error>()
  const [attempt, again] = useState(0)
  useEffect(() => {
    const controller = new AbortController()
    const { signal } = controller
    let made: string | undefined
    setContent(undefined)
    setFailure(undefined)
    request('readFileContent', { params: { id: fileId }, merchant, signal })
      .then((response) => response.blob())
      .then((blob) => {
        if (signal.aborted) return
        made = URL.createObjectURL(blob)
        setContent({ address: made, isPicture: blob.type.startsWith('image/') })
      })
      .catch((error) => signal.aborted || setFailure(error))
    return () => {
      controller.abort()
      if (made) URL.revokeObjectURL(made)
    }
  }, [fileId, merchant, attempt])
  return { content, failure, again: () => again((count) => count + 1) }
}

/** A picture, or a PDF by the browser's own viewer, in the page, and a link for browsers without one. */
export function Preview({ fileId, title }: { fileId: string; title: string }) {
  const { content, failure, again } = useContent(fileId)
  if (failure) return <Failed failure={failure} again={again} />
  if (!content) return <Loading rows={10} />
  const { address, isPicture } = content
  return (
    <div class="pdf">
      {isPicture ? (
        <img src={address} alt={title} />
      ) : (
        // Without the column of small pages, which Chromium's viewer would open.
        <iframe src={`${address}#navpanes=0`} title={title} />
      )}
      <p>
        <a href={address} target="_blank" rel="noreferrer">
          Open {isPicture ? 'the picture' : 'the PDF'} in a new tab
        </a>
      </p>
    </div>
  )
}

/** A file as it was uploaded, read once a person opens it. @param what follows "Show" in the link, such as "exhibit A" */
export function FileOnDemand({ fileId, title, what }: { fileId: string; title: string; what: string }) {
  const [open, setOpen] = useState(false)
  return (
    <details class="exhibit no-print" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Show {what}</summary>
      {open && <Preview fileId={fileId} title={title} />}
    </details>
  )
}
