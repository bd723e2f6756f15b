import { store, stored } from '../app/stored.ts'

/** A view with a name of the person's own, in this browser. */
export interface SavedView {
  name: string
  query: string
}

const MOST = 50

/** Views are a person's: searches may name buyers, and several people may use one browser. */
const keyOf = (credentialId: string) => `recoup.views.${credentialId}`

/** The views that a person has saved in this browser. Changes tell whether the browser keeps them. */
export function viewsOf(credentialId: string) {
  const key = keyOf(credentialId)

  function all(): SavedView[] {
    try {
      const found: unknown = JSON.parse(stored(key) ?? '[]')
      return Array.isArray(found) ? found.filter(isView) : []
    } catch {
      return []
    }
  }
  const keep = (views: readonly SavedView[]): boolean => store(key, JSON.stringify(views))

  return {
    all,

    /** A view with the same name is replaced. */
    save: (view: SavedView): boolean => keep([...all().filter(({ name }) => name !== view.name), view].slice(-MOST)),

    remove: (name: string): boolean => keep(all().filter((one) => one.name !== name)),

    /** Its place stays; another view with the new name is replaced. */
    rename(from: string, to: string): boolean {
      if (from === to) return true
      const others = all().filter(({ name }) => name !== to)
      return keep(others.map((one) => (one.name === from ? { ...one, name: to } : one)))
    },

    /** Another tab changed the views. @returns a function that ends the subscription */
    onChanged(listener: () => void): () => void {
      const changed = (event: StorageEvent) => {
        if (event.key === key || event.key === null) listener()
      }
      window.addEventListener('storage', changed)
      return () => window.removeEventListener('storage', changed)
    },
  }
}

function isView(one: unknown): one is SavedView {
  const { name, query } = (one ?? {}) as Partial<SavedView>
  return typeof name === 'string' && typeof query === 'string'
}
