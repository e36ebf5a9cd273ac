/**
 * Replaces what has a meaning in the browser's format: a page must not contain links that it did not make. Characters
 * outside the Basic Multilingual Plane, such as emoji, are dropped, and so is the zero-width space: facts of the format.
 */
export function cleanText(text: string): string {
  return text.replace(SPECIAL, (found) => REPLACED[found] ?? '')
}

/** Cleans the text of a link, in which a `†` would end it. */
export function cleanLinkText(text: string): string {
  return cleanText(text).replaceAll('†', '‡').replace(/\s+/g, ' ').trim()
}

const SPECIAL = /[【】◼\u200b\p{Cs}]|[\u{10000}-\u{10ffff}]/gu

const REPLACED: { readonly [found: string]: string } = { '【': '〖', '】': '〗', '◼': '◾' }
