import { BlockList, isIP } from 'node:net'

/**
 * Parses blocks such as 192.0.2.0/24, 2001:db8::/32 or a single address. @throws an Error that names the first invalid
 * one
 */
export function addressBlocks(blocks: readonly string[]): { has(address: string): boolean } {
  const list = new BlockList()
  for (const block of blocks) {
    const [address = '', length, ...rest] = block.split('/')
    const family = isIP(address)
    const longest = family === 4 ? 32 : 128
    const bits = length === undefined ? longest : Number(length)
    const isLength = length === undefined || (/^\d{1,3}$/.test(length) && bits <= longest)
    if (family === 0 || !isLength || rest.length > 0)
      throw new Error(`"${block}" is no address block such as 192.0.2.0/24 or 2001:db8::/32`)
    list.addSubnet(address, bits, family === 4 ? 'ipv4' : 'ipv6')
  }
  return {
    /** An IPv4 address may have IPv6 form (`::ffff:192.0.2.1`), as dual-stack sockets report it. */
    has(address) {
      const family = isIP(address)
      return family !== 0 && list.check(address, family === 4 ? 'ipv4' : 'ipv6')
    },
  }
}
