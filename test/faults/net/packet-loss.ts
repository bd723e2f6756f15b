import { execFileSync, spawn } from 'node:child_process'

/** Percent of the packets. */
const LOST = 5

/** A port on which nothing of ours listens. */
const NOBODY = 9

const LOSS = ['-m', 'statistic', '--mode', 'random', '--probability', String(LOST / 100), '-j', 'DROP']

const rulesOf = (port: number) =>
  ['--dport', '--sport'].map((side) => ['INPUT', '-i', 'lo', '-p', 'tcp', side, String(port), ...LOSS])

/** Packets to and from one port of this machine are lost. */
export interface PacketLoss extends AsyncDisposable {
  /** Number of lost packets so far. */
  lost(): number
}

/** Why packets can't be lost on this machine; null = they can. Only root can filter, and not in every container. */
export function noPacketLoss(): string | null {
  try {
    const [rule = []] = rulesOf(NOBODY)
    for (const act of ['-A', '-D']) execFileSync('iptables', ['-w', act, ...rule], { stdio: 'ignore' })
    return null
  } catch {
    return 'this machine does not allow packet filters (iptables, as root on Linux)'
  }
}

/**
 * Drops one packet in twenty to and from that port of this machine; TCP sends it again. Another process removes the
 * rules however this process ends.
 */
export function losePackets(port: number): PacketLoss {
  const rules = rulesOf(port)
  const undo = rules.map((rule) => `iptables -w -D ${rule.join(' ')}`).join('; ')
  const keeper = spawn('sh', ['-c', `cat > /dev/null; ${undo}`], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  const removed = new Promise<void>((resolve) => keeper.once('exit', () => resolve()))
  for (const rule of rules) execFileSync('iptables', ['-w', '-I', ...rule], { stdio: 'ignore' })
  return {
    lost() {
      const rows = execFileSync('iptables', ['-w', '-nvxL', 'INPUT'], { encoding: 'utf8' }).split('\n')
      const own = rows.filter((row) => new RegExp(`[sd]pt:${port}\\b`).test(row))
      return own.reduce((sum, row) => sum + Number(row.trim().split(/\s+/)[0]), 0)
    },
    async [Symbol.asyncDispose]() {
      keeper.stdin.end()
      await removed
    },
  }
}
