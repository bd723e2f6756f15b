/** Id of a field in the page. */
export const idOf = (name: string) => `field-${name}`

/**
 * Sentences of a refusal by the fields that they are about: `secretPayload.apiKey: Required; integrationName: …`.
 * @returns under '' what names no field of the form
 */
export function problemsByField(message: string, names: readonly string[]): Record<string, string> {
  const problems: Record<string, string> = {}
  for (const part of message.split(/; (?=[\w.]+: )/)) {
    const [, path = '', words = ''] = /^([\w.]+): (.*)$/s.exec(part) ?? []
    const name = path.replace(/^secretPayload\./, '')
    const at = names.includes(name) ? name : ''
    const said = at === '' ? part : words
    problems[at] = problems[at] === undefined ? said : `${problems[at]} ${said}`
  }
  return problems
}

/** Problems for the summary above a form, in the order of its fields. */
export const faultsOf = (
  fields: readonly { name: string; title: string }[],
  problems: Readonly<Record<string, string>>,
): { id: string; label: string; problem: string }[] =>
  fields.flatMap(({ name, title }) => {
    const problem = problems[name]
    return problem === undefined ? [] : [{ id: idOf(name), label: title, problem }]
  })
