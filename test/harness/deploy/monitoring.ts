import { readdirSync, readFileSync } from 'node:fs'

interface Expression {
  /** File and alert or panel. */
  at: string
  expr: string
}

/** All PromQL of deploy/: of the alerts and of the dashboards' panels. */
export function expressions(): Expression[] {
  const rules = readFileSync('deploy/prometheus/rules.yml', 'utf8')
  const alerts = [...rules.matchAll(/- alert: (\w+)\n(?: *#.*\n)* *expr: (.+)\n/g)].map(([, name = '', expr = '']) => ({
    at: name,
    expr,
  }))
  const panels = readdirSync('deploy/grafana').flatMap((file) => {
    const board = JSON.parse(readFileSync(`deploy/grafana/${file}`, 'utf8')) as Board
    return board.panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ at: `${file}: ${title}`, expr })))
  })
  return [...alerts, ...panels]
}

interface Board {
  panels: { title: string; targets: { expr: string }[] }[]
}

const KEYWORDS = new Set(['and', 'or', 'unless', 'offset', 'bool'])

/** Metrics that an expression reads. */
export function metricsIn(expr: string): string[] {
  const byName = [...expr.matchAll(/__name__=~"([^"]*)"/g)].flatMap(([, names = '']) => names.split('|'))
  const bare = expr
    .replaceAll(/"[^"]*"/g, '')
    .replaceAll(/\{[^}]*\}|\[[^\]]*\]/g, ' ')
    .replaceAll(/\b(by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)/g, ' ')
  const words = [...bare.matchAll(/(?<![\w:])[a-zA-Z_:][\w:]*(?![\w:]|\s*\()/g)].map(([word]) => word)
  return [...new Set([...byName, ...words.filter((word) => !KEYWORDS.has(word))])]
}

/** Names that Prometheus text has, with those of the parts of histograms. */
export function metricsOf(text: string): Set<string> {
  const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)]
  return new Set(
    types.flatMap(([, name = '', type]) =>
      type === 'histogram' ? ['', '_bucket', '_sum', '_count'].map((part) => name + part) : [name],
    ),
  )
}
