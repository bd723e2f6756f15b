export interface Console {
  /** A sentence that stays. */
  say(sentence: string): void
  /** A sentence that the next one replaces; on something that is no terminal, one line every ten seconds. */
  progress(sentence: string): void
  print(text: string): void
}

const QUIET_MS = 10_000

export function createConsole(out: NodeJS.WriteStream): Console {
  // A reader that went away must not end the supervisor.
  out.on('error', () => undefined)
  let open = false
  let told = 0
  const clear = () => {
    if (open) out.write('\r\u001b[K')
    open = false
  }
  const print = (text: string) => {
    clear()
    out.write(`${text}\n`)
  }
  return {
    print,
    say: print,
    progress(sentence) {
      if (out.isTTY) {
        clear()
        out.write(sentence.slice(0, (out.columns ?? 80) - 1))
        open = true
      } else if (Date.now() - told >= QUIET_MS) {
        told = Date.now()
        out.write(`${sentence}\n`)
      }
    },
  }
}
