import { type Signal, signal } from '@preact/signals'
import { LINK } from './packed-text.js'

/** What follows the `#` of the page's address, with it. */
export const hash: Signal<string> = signal(location.hash)

addEventListener('hashchange', () => {
  hash.value = location.hash
})

/** The response that the address names: `#look/ID`. */
export function responseOf(hash: string): string | undefined {
  return /^#look\/([\w-]+)$/.exec(hash)?.[1]
}

/** The text of a link: `#look=TEXT`. */
export function packedOf(hash: string): string | undefined {
  return hash.startsWith(LINK) ? hash.slice(LINK.length) : undefined
}
