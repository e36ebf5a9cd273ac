/*
 * How gpt-oss addresses tools: `functions.NAME`, `browser.search`, `container.exec`, `python`, and by convention
 * `mcp.LABEL.NAME`. No other file spells these names.
 */

export const FUNCTIONS = 'functions'
export const BROWSER = 'browser'
export const CONTAINER = 'container'
export const MCP = 'mcp'
export const PYTHON = 'python'

/**
 * Returns the part of a recipient after `NAMESPACE.`; `undefined` if the recipient is not in the namespace, or ends
 * there.
 */
export function nameIn(namespace: string, recipient: string): string | undefined {
  return recipient.startsWith(`${namespace}.`) ? recipient.slice(namespace.length + 1) || undefined : undefined
}
