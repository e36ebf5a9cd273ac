import { HarmonyResponsesError } from '../errors.js'
import type { Fields } from '../fields.js'
import { PATCH_RECIPIENT } from '../recipients/apply-patch.js'
import {
  type BuiltinTool,
  builtinOf,
  HOSTED_BUILTINS,
  type HostedBuiltin,
  replacedByServer,
} from '../recipients/builtin-tools.js'
import { lookUp, type RecipientPolicy } from '../recipients/policy.js'
import type { Recipient } from '../recipients/recipient.js'
import { type RequestTools, resolveTools } from '../recipients/request-tools.js'
import { ADDRESS, functionSpellings, mcpSpellings, addressOf as spelledAddress } from '../recipients/spellings.js'
import { isClientToolLeft, type ToolChoice } from '../recipients/tool-choice.js'
import { patternMismatch, RequestError } from '../request-error.js'
import { fieldOf, listAt, nameIn, objectAt, optionalTextIn, textIn } from '../request-fields.js'
import type { ListedTool, McpListing } from '../responses/mcp-listing.js'
import { PATCH_TOOL } from './patch-tool.js'
import { toolChoiceOf } from './tool-choice.js'
import type { TaughtTool, ToolNamespace } from './tool-namespace.js'
import { isUnaddressed, unrunBuiltins } from './untaught-tools.js'

/*
 * The prompt teaches exactly what `classifyRecipient` accepts: a tool is taught by the first of its spellings that is
 * classified as that tool.
 */

/** A tool of an MCP server that no recipient can name, and that is therefore not taught. */
export interface OmittedTool {
  readonly serverLabel: string
  readonly name: string
}

/** The tools of a request: the taught ones, and the recipient of each. */
export interface TaughtTools extends RequestTools {
  /** The listings of the declared MCP servers, fresh or from the conversation. */
  readonly listings: readonly McpListing[]
  /** The built-in tools that the host runs. */
  readonly hosted: readonly HostedBuiltin[]
  /** gpt-oss's own tools, which the system message teaches. */
  readonly builtins: ReadonlySet<BuiltinTool>
  readonly namespaces: readonly ToolNamespace[]
  readonly omitted: readonly OmittedTool[]
  /** The types of tools that are not taught, because nothing runs them: as declared, each once. */
  readonly untaught: readonly string[]
}

/** A namespace during collection, its tools by name. */
interface Taught {
  description?: string | undefined
  readonly tools: Map<string, TaughtTool>
}

/**
 * Reads the tools of a request.
 *
 * @param listings - the listings of the declared MCP servers
 * @param hosted - the built-in tools that the host runs
 * @param choice - the result of {@link toolChoiceOf}, if known
 * @throws RequestError if a tool is malformed, or a client's tool cannot be addressed: another one has its name
 */
export function teachTools(
  request: Fields,
  listings: readonly McpListing[],
  policy: RecipientPolicy,
  hosted: readonly HostedBuiltin[] = HOSTED_BUILTINS,
  choice?: ToolChoice,
): TaughtTools {
  const tools: readonly Fields[] = listAt(fieldOf(request, 'tools') ?? [], 'tools').map((tool, index) =>
    namedTool(tool, `tools[${index}]`),
  )
  const resolved = orRequestError(() => {
    const given = tools as readonly (Fields & { readonly type: string })[]
    return resolveTools({ tools: given, choice: choice ?? toolChoiceOf(request) }, listings, policy)
  })
  const { declared } = resolved
  const { isAllowed } = resolved.choice
  const listed = toolsByServer(listings)
  /** The servers that were asked for a list: a server that failed to return it runs nothing. */
  const answered = new Set(listings.map(({ serverLabel }) => serverLabel))
  const namespaces = new Map<string, Taught>()
  const builtins = new Set<BuiltinTool>()
  const omitted: OmittedTool[] = []
  const unrun = unrunBuiltins(declared, hosted)
  const untaught = new Set<string>()

  const addressOf = (callee: Recipient, spellings: readonly string[]): string | undefined =>
    spelledAddress(callee, spellings, declared, policy)
  /** Adds a tool to the namespace that its recipient begins with. */
  const teach = (recipient: string, tool: TaughtTool, description?: string): void => {
    const name = recipient.slice(0, -tool.name.length - 1)
    const inside: Taught = namespaces.get(name) ?? { tools: new Map() }
    inside.description ??= description
    namespaces.set(name, inside)
    if (!inside.tools.has(tool.name)) inside.tools.set(tool.name, tool)
  }
  const teachFunction = (tool: Fields, param: string, namespace?: Fields): void => {
    const type = textIn(tool, 'type', param)
    if (type !== 'function' && type !== 'custom') return
    const name = nameIn(tool, 'name', param)
    const owner = namespace === undefined ? undefined : nameIn(namespace, 'name', 'tools')
    const callee = calleeOf(type === 'custom' ? 'custom_tool_call' : 'function_call', name, owner)
    const recipient = addressOf(callee, functionSpellings(name, owner))
    if (recipient === undefined) throw unaddressable(name, param)
    if (!isClientToolLeft(isAllowed, { type, name, namespace: owner })) return
    const description = optionalTextIn(tool, 'description', param)
    const parameters = type === 'custom' ? 'text' : fieldOf(tool, 'parameters')
    const about = namespace === undefined ? undefined : optionalTextIn(namespace, 'description', 'tools')
    teach(recipient, { name, description, parameters }, about)
  }
  const teachServer = (label: string, about: string | undefined): void => {
    const replaced = replacedByServer(label)
    if (!answered.has(label) && replaced !== undefined && isAllowed({ type: 'mcp', label })) builtins.add(replaced)
    for (const { name, description, inputSchema, input_schema = inputSchema } of listed.get(label)?.values() ?? []) {
      if (declared.mcpServers.get(label)?.allows(name) !== true) continue
      if (!isAllowed({ type: 'mcp', label, name })) continue
      const callee = { kind: 'mcp_call', serverLabel: label, name, available: true } as const
      const recipient = addressOf(callee, mcpSpellings(label, name))
      if (recipient === undefined) omitted.push({ serverLabel: label, name })
      else teach(recipient, { name, description, parameters: input_schema }, about)
    }
  }

  /** Whether calls reach the tool for patches: a function may have its name, or the policy no built-in tools. */
  const hasPatchName = resolved.classifyPast(PATCH_RECIPIENT, undefined).kind === 'apply_patch_call'
  /** The servers taught so far: several entries may declare one together. */
  const servers = new Set<string>()
  const descriptions = serverDescriptions(tools)
  for (const [index, tool] of tools.entries()) {
    const param = `tools[${index}]`
    const type = textIn(tool, 'type', param)
    if (type === 'namespace') {
      for (const [at, member] of listAt(tool['tools'], `${param}.tools`).entries()) {
        teachFunction(objectAt(member, `${param}.tools[${at}]`), `${param}.tools[${at}]`, tool)
      }
    } else if (type === 'mcp') {
      const label = nameIn(tool, 'server_label', param)
      if (!servers.has(label)) teachServer(label, descriptions.get(label))
      servers.add(label)
    } else {
      const builtin = builtinOf(type)
      if (isAllowed({ type })) {
        const isPatch = builtin === 'apply_patch'
        const isUntaught =
          builtin === undefined ? isUnaddressed(type) : unrun.has(builtin) || (isPatch && !hasPatchName)
        if (isUntaught) untaught.add(type)
        else if (builtin !== undefined) builtins.add(builtin)
        if (isPatch && !isUntaught) teach(PATCH_RECIPIENT, PATCH_TOOL)
      }
      teachFunction(tool, param)
    }
  }

  return {
    ...resolved,
    listings,
    hosted,
    builtins,
    namespaces: [...namespaces].map(([name, { description, tools }]) => ({
      name,
      description,
      tools: [...tools.values()],
    })),
    omitted,
    untaught: [...untaught],
  }
}

/** Returns the tools that each server listed, by name. */
function toolsByServer(listings: readonly McpListing[]): ReadonlyMap<string, ReadonlyMap<string, ListedTool>> {
  const servers = new Map<string, Map<string, ListedTool>>()
  for (const { serverLabel, tools = [], error } of listings) {
    if (error != null) continue
    const listed = servers.get(serverLabel) ?? new Map()
    servers.set(serverLabel, listed)
    for (const tool of tools) if (!listed.has(tool.name)) listed.set(tool.name, tool)
  }
  return servers
}

/** Returns the request's description of each MCP server: of several entries, the first one. */
function serverDescriptions(tools: readonly Fields[]): ReadonlyMap<string, string> {
  const descriptions = new Map<string, string>()
  for (const [index, tool] of tools.entries()) {
    if (tool['type'] !== 'mcp') continue
    const label = nameIn(tool, 'server_label', `tools[${index}]`)
    const description = optionalTextIn(tool, 'server_description', `tools[${index}]`)
    if (description !== undefined && !descriptions.has(label)) descriptions.set(label, description)
  }
  return descriptions
}

/** The field that names a tool of each type. */
const NAMES: Readonly<Record<string, string>> = {
  function: 'name',
  custom: 'name',
  namespace: 'name',
  mcp: 'server_label',
}

/** @throws RequestError if the tool has no type, or lacks a required name */
function namedTool(tool: unknown, param: string): Fields {
  const fields = objectAt(tool, param)
  const name = lookUp(NAMES, nameIn(fields, 'type', param))
  if (name !== undefined) nameIn(fields, name, param)
  if (fields['type'] === 'namespace') {
    for (const [at, member] of listAt(fieldOf(fields, 'tools') ?? [], `${param}.tools`).entries()) {
      namedTool(member, `${param}.tools[${at}]`)
    }
  }
  return fields
}

function calleeOf(kind: 'function_call' | 'custom_tool_call', name: string, namespace?: string): Recipient {
  const at = namespace === undefined ? {} : { namespace }
  return kind === 'function_call' ? { kind, name, ...at, declared: true } : { kind, name, ...at }
}

/**
 * Resolves the tools as the translator does, whose errors name the parameter, and reports them as the client's
 * mistakes.
 */
function orRequestError(resolve: () => RequestTools): RequestTools {
  try {
    return resolve()
  } catch (error) {
    if (!(error instanceof HarmonyResponsesError)) throw error
    const param = error.message.slice(0, error.message.indexOf(': '))
    const message = `Invalid '${param}': ${error.message.slice(param.length + 2)}.`
    throw new RequestError(message, { param, code: 'invalid_value' })
  }
}

function unaddressable(name: string, param: string): RequestError {
  if (!ADDRESS.test(name)) return patternMismatch(`${param}.name`, '^[a-zA-Z0-9_-]+$')
  const message = `Invalid '${param}.name': another tool of this request has the same name.`
  return new RequestError(message, { param: `${param}.name`, code: 'invalid_value' })
}
