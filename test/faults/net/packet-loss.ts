import { execFileSync, spawn } from 'node:child_process'

/** Of a hundred packets. */
const LOST = 5

/** A port at which nothing of ours listens. */
const NOBODY = 9

const LOSS = ['-m', 'statistic', '--mode', 'random', '--probability', String(LOST / 100), '-j', 'DROP']

const rulesOf = (port: number) =>
  ['--dport', '--sport'].map((side) => ['INPUT', '-i', 'lo', '-p', 'tcp', side, String(port), ...LOSS])

/** Packets to and from one port of this machine are lost. */
export interface PacketLoss extends AsyncDisposable {
  /** Packets, so far. */
  lost(): number
}

/** Why packets can't be lost on this machine; null = they can. Filtering is for root alone, and not in every container. */
export function noPacketLoss(): string | null {
  try {
    const [rule = []] = rulesOf(NOBODY)
    for (const act of ['-A', '-D']) execFileSync('iptables', ['-w', act, ...rule], { stdio: 'ignore' })
    return null
  } catch {
    return 'this machine lets nobody filter packets (iptables, as root on Linux)'
  }
}

/**
 * One packet in twenty to and from that port of this machine is lost, either way, as on a bad line: TCP sends it again.
 * It ends however this process ends: another one waits for that.
 */
export function losePackets(port: number): PacketLoss {
  const rules = rulesOf(port)
  const undo = rules.map((rule) => `iptables -w -D ${rule.join(' ')}`).join('; ')
  const keeper = spawn('sh', ['-c', `cat > /dev/null; ${undo}`], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  const gone = new Promise<void>((resolve) => keeper.once('exit', () => resolve()))
  for (const rule of rules) execFileSync('iptables', ['-w', '-I', ...rule], { stdio: 'ignore' })
  return {
    lost() {
      const rows = execFileSync('iptables', ['-w', '-nvxL', 'INPUT'], { encoding: 'utf8' }).split('\n')
      const own = rows.filter((row) => new RegExp(`[sd]pt:${port}\\b`).test(row))
      return own.reduce((sum, row) => sum + Number(row.trim().split(/\s+/)[0]), 0)
    },
    async [Symbol.asyncDispose]() {
      keeper.stdin.end()
      await gone
    },
  }
}
