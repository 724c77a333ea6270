import { useEffect } from 'preact/hooks'

/** What each key does, by `KeyboardEvent.key`. */
export type KeyMap = Readonly<Record<string, () => void>>

const TEXT_FIELDS = 'input:not([type=range]), textarea, select, [contenteditable]'
/** What a key means to the thing that has the focus comes first. */
const OWN_KEYS: readonly (readonly [selector: string, keys: readonly string[]])[] = [
  ['button, a, summary, [role=button]', [' ', 'Enter']],
  ['[type=range], [role=listbox]', ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'Home', 'End']],
]

/** Listens to the keys of the whole page, but for those that are typed or that the focused element knows itself. */
export function useKeys(keys: KeyMap): void {
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
      const target = event.target instanceof Element ? event.target : null
      if (target?.closest('dialog, [data-own-keys]') || target?.matches(TEXT_FIELDS)) return
      if (OWN_KEYS.some(([selector, own]) => own.includes(event.key) && target?.matches(selector))) return
      const act = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key]
      if (act === undefined) return
      event.preventDefault()
      act()
    }
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  }, [keys])
}
