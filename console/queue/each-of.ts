/** Requests at the same time. */
const AT_ONCE = 4

export interface Outcome<T> {
  of: T
  failure: Error | undefined
}

/** Does the work for each, four at a time. A failure stops none of the others. @returns outcomes in the same order */
export async function eachOf<T>(all: readonly T[], work: (one: T) => Promise<unknown>): Promise<Outcome<T>[]> {
  const outcomes: Outcome<T>[] = []
  const rest = [...all.entries()]
  const turn = async () => {
    for (let next = rest.shift(); next; next = rest.shift()) {
      const [index, of] = next
      const failure = await work(of).then(
        () => undefined,
        (error: Error) => error,
      )
      outcomes[index] = { of, failure }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, turn))
  return outcomes
}
