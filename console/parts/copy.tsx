import { useRef, useState } from 'preact/hooks'
import { announce } from './announce.tsx'

/** A text to copy: by the button, or by hand where the browser refuses. */
export function Copy({ text, what }: { text: string; what: string }) {
  const field = useRef<HTMLInputElement>(null)
  const [copied, setCopied] = useState(false)
  const word = copied ? 'Copied' : 'Copy'
  async function copy() {
    field.current?.select()
    try {
      await navigator.clipboard.writeText(text)
      setCopied(true)
      announce(`${what} is copied`)
    } catch {
      announce(`${what} is selected: copy it with your keys`)
    }
  }
  return (
    <span class="copy">
      <input ref={field} type="text" readOnly value={text} aria-label={what} />
      <button type="button" onClick={copy} aria-label={`${word} ${what}`}>
        {word}
      </button>
    </span>
  )
}
