import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The spellings of a source's name. */
export interface AdapterNames {
  /** As clients write it: `shop_pay`. */
  source: string
  /** Folder and file names: `shop-pay`. */
  folder: string
  /** In code: `shopPay`, and `ShopPay` for types and sentences. */
  camel: string
  pascal: string
  /** For the variable with its base URL: `SHOPPAY`. */
  variable: string
}

/** @throws when it is not a valid source name; the message describes valid ones */
export function namesOf(source: string): AdapterNames {
  if (!/^[a-z][a-z]*(_[a-z]+)*$/.test(source)) {
    throw new Error(`"${source}" is no name of a source: lower-case letters, words joined by _, such as shop_pay.`)
  }
  const words = source.split('_')
  const pascal = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
  return {
    source,
    folder: words.join('-'),
    camel: pascal.charAt(0).toLowerCase() + pascal.slice(1),
    pascal,
    variable: words.join('').toUpperCase(),
  }
}

const TEMPLATE = join(import.meta.dirname, 'adapter-template')

/**
 * Writes the folders of an adapter and its simulator, and its first test, and gives their paths.
 * @throws when anything of it exists already: nothing is overwritten, and then nothing is written either
 */
export function writeSkeleton(root: string, names: AdapterNames): string[] {
  const { folder } = names
  const filesOf = (part: string, target: string) =>
    readdirSync(join(TEMPLATE, part)).map((name): [string, string] => [
      `${target}/${folder}/${name.replace(/\.txt$/, '')}`,
      join(TEMPLATE, part, name),
    ])
  const files = new Map([...filesOf('adapter', 'adapters'), ...filesOf('simulator', 'simulators')])
  files.set(`test/unit/adapters/${folder}/translate.test.ts`, join(TEMPLATE, 'translate.test.ts.txt'))
  const there = [...files.keys()].find((path) => existsSync(join(root, path)))
  if (there !== undefined) throw new Error(`${there} exists already. Nothing was written.`)
  const port = freePortOffset(root)
  for (const [path, template] of files) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), filled(readFileSync(template, 'utf8'), names, port))
  }
  return [...files.keys()]
}

/** The first free offset from the port of the control interfaces. */
function freePortOffset(root: string): number {
  const texts = readdirSync(join(root, 'simulators'))
    .map((folder) => join(root, 'simulators', folder, 'index.ts'))
    .filter((path) => existsSync(path))
    .map((path) => readFileSync(path, 'utf8'))
  return 1 + Math.max(...texts.map((text) => Number(/portOffset: (\d+)/.exec(text)?.[1] ?? 0)))
}

function filled(text: string, names: AdapterNames, port: number): string {
  return text
    .replaceAll('__PORT__', String(port))
    .replaceAll('__source__', names.source)
    .replaceAll('__folder__', names.folder)
    .replaceAll('__name__', names.camel)
    .replaceAll('__Name__', names.pascal)
    .replaceAll('__UPPER__', names.variable)
}
