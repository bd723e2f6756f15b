/** Faults of a migration that runs while the service writes, as sentences. */
export function faultsOfMigration(source: string): string[] {
  const concurrent = /^export const concurrent = true$/m.test(source)
  const statements = statementsOf(source)
  const created = new Set(statements.flatMap((one) => /^create (?:unlogged )?table (\w+)/.exec(one)?.[1] ?? []))
  const faults = statements.flatMap((one) => faultsOf(one, created, concurrent))
  if (source.includes('indexConcurrently(') && !concurrent)
    faults.push('an index can be created concurrently only outside a transaction: export const concurrent = true')
  return faults
}

/** SQL of the template literals, without comments, bodies of functions and white space. */
function statementsOf(source: string): string[] {
  const texts = [...source.matchAll(/sql(?:<[^`]*>)?`([^`]*)`/g)].map(([, text = '']) => text)
  return texts
    .join(';')
    .replace(/--.*$/gm, '')
    .replace(/\$(\w*)\$[\s\S]*?\$\1\$/g, '')
    .split(';')
    .map((one) => one.trim().replace(/\s+/g, ' ').toLowerCase())
    .filter(Boolean)
}

const VOLATILE = /default [^,]*\b(random|gen_random_uuid|clock_timestamp|nextval|timeofday)\(/

/** Parts of `alter table` that read or rewrite a table, or that break the version before. */
const ALTERATIONS: [RegExp, string][] = [
  [/\balter (column )?\w+ (set data )?type\b/, 'rewrites the table'],
  [/\balter (column )?\w+ set not null\b/, 'reads the table under a lock: add a check that is not valid, validate it'],
  [/\badd (column )?(if not exists )?\w+ [^,(]*\bnot null\b(?![^,]*\bdefault\b)/, 'fails where there are rows'],
  [VOLATILE, 'rewrites the table: the default differs for each row'],
  [/\bgenerated always as .* stored\b/, 'rewrites the table'],
  [/\brename\b/, 'breaks the processes of the version before'],
  [/\bdrop (column|constraint)\b/, 'breaks the processes of the version before'],
  [
    /\b(check|references|foreign key)\b(?!.*\bnot valid\b)/,
    'reads the table under a lock: add it not valid, validate it',
  ],
  [/\badd (constraint \w+ )?(unique|primary key)\b(?!.*\busing index\b)/, 'creates an index under a lock'],
]

function faultsOf(statement: string, created: ReadonlySet<string>, concurrent: boolean): string[] {
  const say = (why: string) => [`${statement.slice(0, 80)}: ${why}`]
  const index = /^create (?:unique )?index (concurrently )?.*? on (?:only )?(\w+)/.exec(statement)
  if (index) {
    if (index[1]) return concurrent ? [] : say('needs export const concurrent = true')
    return created.has(index[2] ?? '') ? [] : say('writers wait until the index exists: use indexConcurrently')
  }
  const altered = /^alter table (?:if exists )?(?:only )?(\w+)(.*)$/.exec(statement)
  if (altered) {
    const [, table = '', rest = ''] = altered
    if (created.has(table) || /^ validate constraint \w+$/.test(rest)) return []
    return ALTERATIONS.flatMap(([pattern, why]) => (pattern.test(rest) ? say(why) : []))
  }
  const changed = /^(?:update (?:only )?(\w+)|delete from (\w+)|insert into \w+.*? from (\w+))/.exec(statement)
  const table = changed?.[1] ?? changed?.[2] ?? changed?.[3]
  if (table && !created.has(table) && !(concurrent && /\blimit\b/.test(statement)))
    return say('goes over a whole table: do it in batches with a limit, each in its own transaction')
  if (/^(drop table|truncate|vacuum full|cluster|reindex (?!.*concurrently))/.test(statement))
    return say('blocks writers of the table')
  return []
}
