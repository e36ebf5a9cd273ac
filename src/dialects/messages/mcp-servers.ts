import type { Fields } from '../../shared/fields.js'
import { invalidValue, RequestError, unsupported } from '../../shared/request-error.js'
import { fieldOf, flagIn, objectAt, objectIn, objectsAt, textIn } from '../../shared/request-fields.js'
import type { Draft } from './draft.js'

/*
 * The MCP connector. Each declared server stands for the operator's server of the same name: the client's address and
 * credentials are never read.
 */

/** Reads `mcp_servers`. @throws RequestError */
export function readMcpServers(value: unknown, draft: Draft): void {
  for (const [index, server] of objectsAt(value, 'mcp_servers').entries()) {
    const at = `mcp_servers[${index}]`
    const type = textIn(server, 'type', at)
    if (type !== 'url') throw invalidValue(`${at}.type`, type, ['url'])
    const name = textIn(server, 'name', at)
    if (draft.mcpServers.has(name)) throw named(`${at}.name`, `the server '${clipped(name)}' is there twice`)
    draft.mcpServers.set(name, { at, server, isUsed: false })
  }
}

/** Reads a tool of the type `mcp_toolset`. @throws RequestError */
export function readToolset(toolset: Fields, at: string, draft: Draft): void {
  const name = textIn(toolset, 'mcp_server_name', at)
  const known = draft.mcpServers.get(name)
  if (known === undefined) throw named(`${at}.mcp_server_name`, `'${clipped(name)}' is not in 'mcp_servers'`)
  if (known.isUsed) throw named(`${at}.mcp_server_name`, `the server '${clipped(name)}' has a toolset already`)
  known.isUsed = true
  draft.addTool(serverTool(name, enabledTools(toolset, at)), { at, fields: { server_label: 'mcp_server_name' } })
}

/**
 * Adds the servers without a toolset, declared by clients that use the older form of the connector. @throws
 * RequestError
 */
export function addOlderServers(draft: Draft): void {
  for (const [name, { at, server, isUsed }] of draft.mcpServers) {
    if (isUsed) continue
    const path = `${at}.tool_configuration`
    const rules = fieldOf(server, 'tool_configuration') === undefined ? {} : objectIn(server, 'tool_configuration', at)
    if (flagIn(rules, 'enabled', path) === false) continue
    const fields = { server_label: 'name', allowed_tools: 'tool_configuration.allowed_tools' }
    draft.addTool(serverTool(name, fieldOf(rules, 'allowed_tools')), { at, fields })
  }
}

/**
 * Returns a server's tool entry that needs no approval: this API has none, so a client that declares a server approves
 * its calls.
 */
function serverTool(label: string, allowed: unknown): object {
  return {
    type: 'mcp',
    server_label: label,
    require_approval: 'never',
    ...(allowed !== undefined && { allowed_tools: allowed }),
  }
}

/** Returns the names of the tools that the model may call; undefined for all. @throws RequestError */
function enabledTools(toolset: Fields, at: string): readonly string[] | undefined {
  const given = fieldOf(toolset, 'default_config')
  const byDefault =
    given === undefined ? true : isEnabled(objectAt(given, `${at}.default_config`), `${at}.default_config`)
  const configs = fieldOf(toolset, 'configs')
  const each = configs === undefined ? [] : Object.entries(objectAt(configs, `${at}.configs`))
  const names: string[] = []
  for (const [name, config] of each) {
    const path = `${at}.configs.${clipped(name)}`
    const isOn = isEnabled(objectAt(config, path), path, byDefault !== false)
    if (isOn) names.push(name)
    else if (byDefault !== false) throw unsupported(`${path}.enabled`, 'exceptions from all tools are', HINT)
  }
  return byDefault ? undefined : names
}

const HINT = "Turn 'default_config.enabled' off, and the tools on that the model may call."

function isEnabled(config: Fields, path: string, byDefault = true): boolean {
  return flagIn(config, 'enabled', path) ?? byDefault
}

function clipped(name: string): string {
  return name.slice(0, 60)
}

function named(param: string, what: string): RequestError {
  return new RequestError(`Invalid '${param}': ${what}.`, { param, code: 'invalid_value' })
}
