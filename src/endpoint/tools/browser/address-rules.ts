/** Tells addresses of the public network from all others. */
export interface AddressRules {
  /** Whether it is an address of the public network. False for what is no address. */
  isPublic(address: string): boolean
}

/** What is used of `ipaddr.js`. */
type IpAddr = typeof import('ipaddr.js')

/**
 * Networks that `ipaddr.js` calls unicast, and that no one may reach through the model: IPv6 addresses that contain an
 * IPv4 address, and services of clouds that answer each of their machines.
 */
const DENIED = [
  '::/96',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '2002::/16',
  '168.63.129.16/32',
  '192.0.0.0/24',
  '192.88.99.0/24',
  '198.18.0.0/15',
  'fec0::/10',
] as const

export function createAddressRules(ipaddr: IpAddr): AddressRules {
  const denied = DENIED.map((network) => ipaddr.parseCIDR(network))
  return {
    isPublic(text) {
      // A zone leads to a link of this machine.
      if (text.includes('%') || !ipaddr.isValid(text)) return false
      const address = ipaddr.process(text)
      const isDenied = denied.some((network) => address.kind() === network[0].kind() && address.match(network))
      return address.range() === 'unicast' && !isDenied
    },
  }
}
