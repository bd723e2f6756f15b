export interface Console {
  /** A permanent line. */
  say(sentence: string): void
  /** A line that the next one replaces; without a terminal, one line every ten seconds. */
  progress(sentence: string): void
  print(text: string): void
}

const QUIET_MS = 10_000

export function createConsole(out: NodeJS.WriteStream): Console {
  // A closed output must not end the supervisor.
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
