import { useLayoutEffect, useRef } from 'preact/hooks'
import { store, stored } from './stored.ts'

/** A key, or two one after the other, that act while a screen is shown. */
export interface Key {
  /** As `KeyboardEvent.key`; two are separated by a space. */
  keys: string
  /** For the list of keys. */
  what: string
  act: () => void
}

const SETTING = 'recoup.keys'
/** The second of two keys comes within this time, ms. */
const TOGETHER_MS = 1_500

/** People can switch single keys off: WCAG 2.1.4. */
export const areKeysOn = () => stored(SETTING) !== 'off'
export const switchKeys = (on: boolean) => store(SETTING, on ? null : 'off')

/** Finds the key that was meant among those that are offered. */
export function createKeys(offered: () => readonly Key[], now: () => number = Date.now) {
  let first = { key: '', at: 0 }
  return {
    /** @returns whether the key acted */
    press(key: string): boolean {
      const both = now() - first.at < TOGETHER_MS ? `${first.key} ${key}` : ''
      const meant = offered().find(({ keys }) => keys === both) ?? offered().find(({ keys }) => keys === key)
      first = { key, at: meant ? 0 : now() }
      meant?.act()
      return meant !== undefined
    },
  }
}

const screens = new Set<{ current: readonly Key[] }>()

/** Keys of what is shown now, the latest first. */
export const offeredKeys = (): Key[] => [...screens].reverse().flatMap(({ current }) => current)

/** Offers keys while the component is shown. */
export function useKeys(keys: readonly Key[]): void {
  const latest = useRef(keys)
  latest.current = keys
  // Before it is painted: a key must not be lost that is pressed as soon as the screen is seen.
  useLayoutEffect(() => {
    screens.add(latest)
    return () => void screens.delete(latest)
  }, [])
}

/** Listens for all keys. In a field, in a dialog, and with Ctrl, Alt or Meta they belong to the browser. */
export function useKeyboard(): void {
  useLayoutEffect(() => {
    const keys = createKeys(offeredKeys)
    const pressed = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey || !areKeysOn()) return
      const target = event.target as Element
      if (target.closest('input:not([type="checkbox"]), select, textarea, [contenteditable], dialog')) return
      if (document.querySelector('dialog[open]')) return
      if (keys.press(event.key)) event.preventDefault()
    }
    document.addEventListener('keydown', pressed)
    return () => document.removeEventListener('keydown', pressed)
  }, [])
}
