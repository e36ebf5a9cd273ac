/*
 * How gpt-oss addresses tools: `functions.NAME`, `browser.search`, `container.exec`, `python`, and by convention
 * `mcp.LABEL.NAME`. The names are spelled here alone.
 */

export const FUNCTIONS = 'functions'
export const BROWSER = 'browser'
export const CONTAINER = 'container'
export const MCP = 'mcp'
export const PYTHON = 'python'

/**
 * What comes after `NAMESPACE.` in a recipient; `undefined` if it is not in the namespace, or nothing comes after it.
 */
export function nameIn(namespace: string, recipient: string): string | undefined {
  return recipient.startsWith(`${namespace}.`) ? recipient.slice(namespace.length + 1) || undefined : undefined
}
