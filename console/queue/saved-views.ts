/** A view with a name of the person's own, in this browser. */
export interface SavedView {
  name: string
  query: string
}

const KEY = 'recoup.views'
const MOST = 50

export function savedViews(): SavedView[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]')
    return Array.isArray(stored) ? stored.filter(isView) : []
  } catch {
    // Not readable, or the browser stores nothing.
    return []
  }
}

function isView(one: unknown): one is SavedView {
  const { name, query } = (one ?? {}) as Partial<SavedView>
  return typeof name === 'string' && typeof query === 'string'
}

/** A view with the same name is replaced. */
export function saveView(view: SavedView): void {
  store([...savedViews().filter(({ name }) => name !== view.name), view].slice(-MOST))
}

export function removeView(name: string): void {
  store(savedViews().filter((one) => one.name !== name))
}

/** Its place stays; another view with the new name is replaced. */
export function renameView(from: string, to: string): void {
  if (from === to) return
  const others = savedViews().filter(({ name }) => name !== to)
  store(others.map((one) => (one.name === from ? { ...one, name: to } : one)))
}

/** Another tab changed the views. @returns a function that ends the subscription */
export function onViewsChanged(listener: () => void): () => void {
  const changed = ({ key }: StorageEvent) => {
    if (key === KEY || key === null) listener()
  }
  window.addEventListener('storage', changed)
  return () => window.removeEventListener('storage', changed)
}

function store(views: readonly SavedView[]): void {
  localStorage.setItem(KEY, JSON.stringify(views))
}
