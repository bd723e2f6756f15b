/** Owners of resources that are disposed of together, the last one first. */
export interface Stack {
  use<Owner extends AsyncDisposable>(owner: Owner): Owner
  dispose(): Promise<void>
}

export function openStack(): Stack {
  const owners: AsyncDisposable[] = []
  return {
    use(owner) {
      owners.push(owner)
      return owner
    },
    async dispose() {
      for (const owner of owners.splice(0).reverse()) {
        try {
          await owner[Symbol.asyncDispose]()
        } catch (error) {
          console.error((error as Error).message)
        }
      }
    },
  }
}
