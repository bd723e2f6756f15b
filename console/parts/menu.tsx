import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

interface MenuProps {
  label: string
  /** What is chosen, behind the label; empty for nothing. */
  chosen: string
  children: ComponentChildren
}

/** A button that opens a small form below it. Esc, and a click elsewhere, close it. */
export function Menu({ label, chosen, children }: MenuProps) {
  const details = useRef<HTMLDetailsElement>(null)
  const [open, setOpen] = useState(false)
  useEffect(() => {
    const close = (event: Event) => {
      const menu = details.current
      if (!menu?.open) return
      const isEscape = event instanceof KeyboardEvent && event.key === 'Escape'
      if (isEscape || (event.type !== 'keydown' && !menu.contains(event.target as Node))) menu.open = false
      if (isEscape) menu.querySelector('summary')?.focus()
    }
    const events = ['click', 'focusin', 'keydown']
    for (const name of events) document.addEventListener(name, close)
    return () => {
      for (const name of events) document.removeEventListener(name, close)
    }
  }, [])
  return (
    <details ref={details} class="menu" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary class={chosen === '' ? undefined : 'chosen'}>
        {label}
        {chosen !== '' && <span>: {chosen}</span>}
      </summary>
      {open && <div class="menu-form">{children}</div>}
    </details>
  )
}
