import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { Banners } from '../app/banners.tsx'
import { Announcements } from './announce.tsx'

interface DialogProps {
  title: string
  children: ComponentChildren
  /** Esc; a dialog without it can't be closed so. */
  onClose?: (() => void) | undefined
}

/** A modal dialog: the browser traps the focus, and gives it back to its opener. */
export function Dialog({ title, children, onClose }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const heading = useId()
  // Before it is painted: later, the opener would take the focus from what was reached by a key right after.
  useLayoutEffect(() => {
    const opened = dialog.current
    const opener = document.activeElement
    opened?.showModal()
    return () => {
      opened?.close()
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus()
    }
  }, [])
  const cancelled = (event: Event) => {
    event.preventDefault()
    onClose?.()
  }
  // Browsers that don't know `closedby` close it at the second Esc, which can't be cancelled.
  const closed = () => dialog.current?.showModal()
  return (
    <dialog
      ref={dialog}
      aria-labelledby={heading}
      closedby={onClose ? 'closerequest' : 'none'}
      onCancel={cancelled}
      onClose={closed}
    >
      <h2 id={heading}>{title}</h2>
      <Banners />
      {children}
      <Announcements />
    </dialog>
  )
}

interface ConfirmProps {
  title: string
  children: ComponentChildren
  /** Label of the harmless button, which has the focus. */
  keep: string
  /** The act, with what it is about. */
  act: string
  dangerous?: boolean
  /** The act runs: neither button acts. */
  busy: boolean
  /** What must be ticked first; null when nothing must. */
  blocked?: boolean
  onKeep: () => void
  onAct: () => void
}

/** A question before an act: the consequence above, the harmless answer first and focused. */
export function Confirm({ title, children, keep, act, dangerous, busy, blocked, onKeep, onAct }: ConfirmProps) {
  const disabled = busy || blocked === true
  return (
    <Dialog title={title} onClose={busy ? undefined : onKeep}>
      {children}
      <div class="buttons">
        {/* biome-ignore lint/a11y/noAutofocus: in a dialog the harmless button has the focus */}
        <button type="button" autoFocus aria-disabled={busy} onClick={() => !busy && onKeep()}>
          {keep}
        </button>
        <button
          type="button"
          class={dangerous ? 'danger' : 'primary'}
          aria-disabled={disabled}
          onClick={() => !disabled && onAct()}
        >
          {busy ? 'Sending…' : act}
        </button>
      </div>
    </Dialog>
  )
}
