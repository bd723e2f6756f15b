/** Parses XML of the SDKs of other languages, as Rails does. Minimal: no DTD, no namespaces. */

export type Parsed = null | string | number | boolean | Parsed[] | { [key: string]: Parsed }

interface Node {
  name: string
  attributes: Record<string, string>
  children: Node[]
  text: string
}

export class BadXml extends Error {}

/** `<search><id><is>x</is></id></search>` is `{search: {id: {is: 'x'}}}`. @throws BadXml */
export function readXml(text: string): { [key: string]: Parsed } {
  const root: Node = { name: '', attributes: {}, children: [], text: '' }
  const open: Node[] = [root]
  const token =
    /<\?[\s\S]*?\?>|<!--[\s\S]*?-->|<!\[CDATA\[([\s\S]*?)\]\]>|<(\/?)([\w:.-]+)((?:\s+[\w:.-]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*(\/?)>|([^<]+)/gy
  let at = 0
  for (const match of text.matchAll(token)) {
    at = match.index + match[0].length
    const [, cdata, closing, name, attributes, empty, characters] = match
    const current = open.at(-1) as Node
    if (cdata !== undefined) current.text += cdata
    else if (characters !== undefined) current.text += unescaped(characters)
    else if (name !== undefined && closing === '/') {
      if (open.length === 1 || current.name !== name) throw new BadXml(`</${name}> closes nothing`)
      open.pop()
    } else if (name !== undefined) {
      const node: Node = { name, attributes: attributesOf(attributes ?? ''), children: [], text: '' }
      current.children.push(node)
      if (empty !== '/') open.push(node)
    }
  }
  if (at !== text.length || open.length !== 1 || root.children.length !== 1) throw new BadXml('the XML is not whole')
  return objectOf(root.children)
}

function objectOf(nodes: readonly Node[]): { [key: string]: Parsed } {
  const object: { [key: string]: Parsed } = Object.create(null)
  for (const node of nodes) object[node.name.replaceAll('-', '_')] = readNode(node)
  return object
}

function readNode(node: Node): Parsed {
  const { type, nil } = node.attributes
  if (nil === 'true') return null
  if (type === 'array') return node.children.map(readNode)
  if (node.children.length > 0) return objectOf(node.children)
  if (type === 'integer') return Number(node.text)
  if (type === 'boolean') return node.text.trim() === 'true'
  return node.text
}

function attributesOf(text: string): Record<string, string> {
  const pairs = [...text.matchAll(/([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)]
  return Object.fromEntries(pairs.map(([, name = '', double, single]) => [name, unescaped(double ?? single ?? '')]))
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function unescaped(text: string): string {
  return text.replace(/&(?:#(\d+)|#x([0-9a-f]+)|(\w+));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return ENTITIES[name] ?? whole
    return String.fromCodePoint(decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal))
  })
}
