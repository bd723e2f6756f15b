export interface KnownPaths {
  /** Template and methods of the routes that a path belongs to; null for an unknown path. */
  find(path: string): { template: string; methods: string[] } | null
}

/** Known paths and their methods, to distinguish 404 from 405. */
export function knownPaths(routes: readonly { method: string; path: string }[]): KnownPaths {
  const byTemplate = new Map<string, Set<string>>()
  for (const { method, path } of routes) {
    if (method === 'ALL' || path.includes('*')) continue
    const template = path.replace(/:([A-Za-z]+)/g, '{$1}')
    const methods = byTemplate.get(template) ?? new Set()
    methods.add(method)
    if (method === 'GET') methods.add('HEAD')
    byTemplate.set(template, methods)
  }
  const known = [...byTemplate].map(([template, methods]) => ({
    template,
    methods: [...methods].sort(),
    pattern: new RegExp(`^${template.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
  }))
  return {
    find(path) {
      const found = known.find(({ pattern }) => pattern.test(path))
      return found ? { template: found.template, methods: found.methods } : null
    },
  }
}
