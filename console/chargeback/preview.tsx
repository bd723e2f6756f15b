import { useEffect, useState } from 'preact/hooks'
import { request } from '../api/call.ts'
import { useWho } from '../app/who.ts'
import { Failed, Loading } from '../parts/states.tsx'

/** Reads a file's content as an address of this page; it is given up when the component goes. */
function useContent(fileId: string) {
  const { merchant } = useWho()
  const [address, setAddress] = useState<string>()
  const [failure, setFailure] = useState<Error>()
  const [attempt, again] = useState(0)
  useEffect(() => {
    const controller = new AbortController()
    const { signal } = controller
    let made: string | undefined
    setAddress(undefined)
    setFailure(undefined)
    request('readFileContent', { params: { id: fileId }, merchant, signal })
      .then((response) => response.blob())
      .then((content) => {
        if (signal.aborted) return
        made = URL.createObjectURL(content)
        setAddress(made)
      })
      .catch((error) => signal.aborted || setFailure(error))
    return () => {
      controller.abort()
      if (made) URL.revokeObjectURL(made)
    }
  }, [fileId, merchant, attempt])
  return { address, failure, again: () => again((count) => count + 1) }
}

/** A PDF in the page, by the browser's own viewer, and a link for browsers without one. */
export function Preview({ fileId, title }: { fileId: string; title: string }) {
  const { address, failure, again } = useContent(fileId)
  if (failure) return <Failed failure={failure} again={again} />
  if (!address) return <Loading rows={10} />
  return (
    <div class="pdf">
      {/* Without the column of small pages, which Chromium's viewer would open. */}
      <iframe src={`${address}#navpanes=0`} title={title} />
      <p>
        <a href={address} target="_blank" rel="noreferrer">
          Open the PDF in a new tab
        </a>
      </p>
    </div>
  )
}
