/** Whether a host is one of these domains or a subdomain of one. A domain may be written with a path, which narrows it. */
export function isOfDomain(url: URL, domains: readonly string[]): boolean {
  return domains.some((domain) => {
    const [host = '', ...path] = domain
      .toLowerCase()
      .replace(/^https?:\/\//, '')
      .replace(/^\*?\./, '')
      .split('/')
    const name = url.hostname.toLowerCase()
    const prefix = path.length === 0 || path[0] === '' ? '/' : `/${path.join('/')}`
    return host !== '' && (name === host || name.endsWith(`.${host}`)) && url.pathname.startsWith(prefix)
  })
}
