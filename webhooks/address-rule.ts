import ipaddr from 'ipaddr.js'
import { addressBlocks } from '../process/address-blocks.ts'

/**
 * Never a receiver, even inside an allowed network: link-local addresses, where clouds keep the metadata and credentials
 * of a machine; their other addresses for it; and addresses that name no single machine.
 */
const NEVER = addressBlocks([
  ...['0.0.0.0/8', '169.254.0.0/16', '224.0.0.0/4', '255.255.255.255/32', '::/128', 'fe80::/10', 'ff00::/8'],
  // Azure, Alibaba, Oracle; AWS and GCP by IPv6.
  ...['168.63.129.16/32', '100.100.100.200/32', '192.0.0.192/32', 'fd00:ec2::/32', 'fd20:ce::/32'],
])

/** IPv6 forms of IPv4 addresses that ipaddr.js calls ordinary: the ancient `::a.b.c.d`. */
const COMPATIBLE = addressBlocks(['::/96'])

/** Networks of receivers inside, as RECOUP_WEBHOOK_ALLOWED_NETWORKS lists them. */
export type AllowedNetworks = ReturnType<typeof addressBlocks>
export const NO_NETWORKS: AllowedNetworks = addressBlocks([])

/**
 * Whether a webhook may be sent to an IP address: a public unicast address, or one of an allowed network. False for
 * anything that is no IP address.
 */
export function mayReceive(address: string, allowed: AllowedNetworks = NO_NETWORKS): boolean {
  if (!ipaddr.isValid(address) || NEVER.has(plain(address))) return false
  if (allowed.has(plain(address))) return true
  return ipaddr.parse(address).range() === 'unicast' && !COMPATIBLE.has(address)
}

/** Without the zone of `fe80::1%eth0`, and `::ffff:10.0.0.1` as the IPv4 address that it reaches. */
const plain = (address: string) => ipaddr.process(address.replace(/%.*$/, '')).toString()
