import { APPLY_PATCH, PATCH_RECIPIENT } from '../../core/recipients/apply-patch.js'
import {
  type BuiltinTool,
  builtinOf,
  type HostedBuiltin,
  replacedByServer,
} from '../../core/recipients/builtin-tools.js'
import type { ReadList, ToolList } from '../../core/recipients/conversation-tools.js'
import type { DeclaredTools } from '../../core/recipients/declared-tools.js'
import type { RecipientPolicy } from '../../core/recipients/policy.js'
import type { Recipient } from '../../core/recipients/recipient.js'
import { createRequestClassifier } from '../../core/recipients/request-classifier.js'
import { ADDRESS, addressOf, functionSpellings, mcpSpellings } from '../../core/recipients/spellings.js'
import { FREE_CHOICE, isClientToolLeft, type ToolChoice } from '../../core/recipients/tool-choice.js'
import type { ListedTool, McpListing } from '../../core/responses/mcp-listing.js'
import type { UnknownTool } from '../../core/responses/request.js'
import type { Fields } from '../../shared/fields.js'
import { patternMismatch, RequestError } from '../../shared/request-error.js'
import { fieldOf, listAt, nameIn, objectAt, optionalTextIn, textIn } from '../../shared/request-fields.js'
import { createWork, type Slices, type Work } from '../../shared/slices.js'
import { Lessons } from './lessons.js'
import type { TaughtTool } from './tool-namespace.js'
import { isUnaddressed, unrunBuiltins } from './untaught-tools.js'

/** A tool takes some 50 microseconds before the code is compiled. */
const TOOLS_PER_SLICE = 200

/** A tool of an MCP server that no recipient can name, and that is therefore not taught. */
export interface OmittedTool {
  /** The `server_label` of its server. */
  readonly serverLabel: string
  /** Its name on that server. */
  readonly name: string
}

/** The facts by which all lists of tools are taught. */
interface Facts {
  readonly policy: RecipientPolicy
  readonly choice: ToolChoice
  /** The built-in tools that the host runs. */
  readonly hosted: readonly HostedBuiltin[]
}

/** The lists taught so far. */
interface Course extends Facts {
  readonly lessons: Lessons
  readonly omitted: OmittedTool[]
  /** The types of tools that are not taught, because nothing runs them. */
  readonly untaught: Set<string>
  /** The servers that were asked for a list: one that failed to return it runs nothing. */
  readonly asked: ReadonlySet<string>
  /** The tools that each server listed, by name. */
  readonly listed: ReadonlyMap<string, ReadonlyMap<string, ListedTool>>
  /** A pause is due after some hundred tools. */
  readonly work: Work
  /** How many listed tools have been read for items that declare their servers. */
  listedForItems: number
}

export function createCourse(facts: Facts, listings: readonly McpListing[]): Course {
  const asked = new Set(listings.map(({ serverLabel }) => serverLabel))
  const listed = toolsByServer(listings)
  return {
    ...{ ...facts, asked, listed, lessons: new Lessons(), omitted: [], untaught: new Set() },
    ...{ work: createWork(TOOLS_PER_SLICE), listedForItems: 0 },
  }
}

/**
 * Returns the part of a declaration that decides what is taught. Not its secrets, nor whether it is strict: a process
 * that renders the prompt again has none of the former, and all of the latter.
 */
export function taughtPart(tool: UnknownTool): unknown {
  const { type, description, parameters, allowed_tools, server_description, environment } = tool as object as Fields
  if (type === 'function') return [type, description ?? null, parameters ?? null]
  if (type === 'custom') return [type, description ?? null]
  return type === 'mcp' ? [allowed_tools ?? null, server_description ?? null] : [Object(environment).type ?? null]
}

/**
 * Teaches the tools of one list, except those that it merely repeats.
 *
 * @param declared - all tools that are declared up to this list
 * @throws RequestError if a client's tool cannot be addressed: another one has its name
 */
export function* teachList(
  course: Course,
  list: ToolList,
  { fresh, again }: ReadList,
  declared: DeclaredTools,
): Slices<void> {
  const { lessons, untaught, policy, hosted } = course
  const { isAllowed } = course.choice
  const { path } = list
  const tools = list.tools as readonly (Fields & UnknownTool)[]
  const unrun = unrunBuiltins(declared, hosted)
  /** Whether calls reach the tool for patches: a function may have its name, or the policy no built-in tools. */
  const classify = createRequestClassifier({ declared, policy, choice: FREE_CHOICE, namedLoosely: () => [] })
  const hasPatchName = classify(PATCH_RECIPIENT, undefined).kind === 'apply_patch_call'

  function teachFunction(tool: Fields, param: string, isAgain: boolean, namespace?: Fields): void {
    const type = textIn(tool, 'type', param)
    if (type !== 'function' && type !== 'custom') return
    const name = nameIn(tool, 'name', param)
    const owner = namespace === undefined ? undefined : nameIn(namespace, 'name', path)
    const callee = calleeOf(type === 'custom' ? 'custom_tool_call' : 'function_call', name, owner)
    const recipient = addressOf(callee, functionSpellings(name, owner), declared, policy)
    if (recipient === undefined) throw unaddressable(name, param)
    if (!isClientToolLeft(isAllowed, { type, name, namespace: owner })) return
    const description = optionalTextIn(tool, 'description', param)
    const parameters = type === 'custom' ? 'text' : fieldOf(tool, 'parameters')
    const about = namespace === undefined ? undefined : optionalTextIn(namespace, 'description', path)
    lessons.teach(recipient, { name, description, parameters }, isAgain, about)
  }

  function teachBuiltin(type: string, builtin: BuiltinTool | undefined, isAgain: boolean): void {
    const isPatch = builtin === 'apply_patch'
    const isUntaught = builtin === undefined ? isUnaddressed(type) : unrun.has(builtin) || (isPatch && !hasPatchName)
    if (isUntaught) untaught.add(type)
    else if (builtin !== undefined) lessons.teachBuiltin(builtin, isAgain)
    if (isPatch && !isUntaught) lessons.teach(PATCH_RECIPIENT, PATCH_TOOL, isAgain)
  }

  const descriptions = serverDescriptions(tools, path)
  /** The servers taught so far: several entries may declare one together. */
  const servers = new Set<string>()
  for (const [index, tool] of tools.entries()) {
    const param = `${path}[${index}]`
    const type = textIn(tool, 'type', param)
    yield* oneTool(course.work)
    if (type === 'namespace') {
      for (const [nth, member] of listAt(tool['tools'], `${param}.tools`).entries()) {
        yield* oneTool(course.work)
        const at = `${index} ${nth}`
        const isAgain = again.has(at)
        if (!isAgain && !fresh.has(at)) continue
        teachFunction(objectAt(member, `${param}.tools[${nth}]`), `${param}.tools[${nth}]`, isAgain, tool)
      }
      continue
    }
    const isAgain = again.has(String(index))
    if (!isAgain && !fresh.has(String(index))) continue
    if (type === 'mcp') {
      const label = nameIn(tool, 'server_label', param)
      if (!servers.has(label)) {
        yield* teachServer(course, { label, about: descriptions.get(label), isAgain, list, declared })
      }
      servers.add(label)
    } else {
      if (isAllowed({ type })) teachBuiltin(type, builtinOf(type), isAgain)
      teachFunction(tool, param, isAgain)
    }
  }
}

/** A server that a list declares. */
interface DeclaredServer {
  readonly label: string
  readonly about: string | undefined
  readonly isAgain: boolean
  readonly list: ToolList
  readonly declared: DeclaredTools
}

function* oneTool(work: Work): Slices<void> {
  work.left -= 1
  if (work.left <= 0) yield* work.pause()
}

function* teachServer(course: Course, { label, about, isAgain, list, declared }: DeclaredServer): Slices<void> {
  const { lessons, asked, listed, omitted, policy } = course
  const { isAllowed } = course.choice
  if (list.item !== undefined) course.listedForItems += listed.get(label)?.size ?? 0
  if (course.listedForItems > MAX_LISTED_FOR_ITEMS) throw tooManyListed(`input[${list.item}]`)
  const replaced = replacedByServer(label)
  if (!asked.has(label) && replaced !== undefined && isAllowed({ type: 'mcp', label })) {
    lessons.teachBuiltin(replaced, isAgain)
  }
  for (const { name, description, inputSchema, input_schema = inputSchema } of listed.get(label)?.values() ?? []) {
    yield* oneTool(course.work)
    if (declared.mcpServers.get(label)?.allows(name) !== true) continue
    if (!isAllowed({ type: 'mcp', label, name })) continue
    const callee = { kind: 'mcp_call', serverLabel: label, name, available: true } as const
    const recipient = addressOf(callee, mcpSpellings(label, name), declared, policy)
    const tool = { name, description, parameters: input_schema, isListed: true }
    if (recipient !== undefined) lessons.teach(recipient, tool, isAgain, about)
    else if (!isAgain) omitted.push({ serverLabel: label, name })
  }
}

/** The limit of listed tools that are read for items that declare their servers, in total: some 0.3 seconds. */
const MAX_LISTED_FOR_ITEMS = 50_000

function tooManyListed(param: string): RequestError {
  const reason = `items declare MCP servers with more than ${MAX_LISTED_FOR_ITEMS} listed tools in total`
  return new RequestError(`Invalid '${param}': ${reason}.`, { param, code: 'invalid_value' })
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

/** Returns the list's description of each MCP server: of several entries, the first one. */
function serverDescriptions(tools: readonly Fields[], path: string): ReadonlyMap<string, string> {
  const descriptions = new Map<string, string>()
  for (const [index, tool] of tools.entries()) {
    if (tool['type'] !== 'mcp') continue
    const label = nameIn(tool, 'server_label', `${path}[${index}]`)
    const description = optionalTextIn(tool, 'server_description', `${path}[${index}]`)
    if (description !== undefined && !descriptions.has(label)) descriptions.set(label, description)
  }
  return descriptions
}

function calleeOf(kind: 'function_call' | 'custom_tool_call', name: string, namespace?: string): Recipient {
  const at = namespace === undefined ? {} : { namespace }
  return kind === 'function_call' ? { kind, name, ...at, declared: true } : { kind, name, ...at }
}

function unaddressable(name: string, param: string): RequestError {
  if (!ADDRESS.test(name)) return patternMismatch(`${param}.name`, '^[a-zA-Z0-9_-]+$')
  const message = `Invalid '${param}.name': another tool of this request has the same name.`
  return new RequestError(message, { param: `${param}.name`, code: 'invalid_value' })
}

/** The interface of gpt-oss's own tool, limited to one file: an item of the API changes one. */
const PATCH_TOOL: TaughtTool = {
  name: APPLY_PATCH,
  description: [
    'Changes one file. For several files, call it once for each. For example:',
    '*** Begin Patch',
    '*** Update File: src/app.py',
    '@@ def greet():',
    '-    print("Hi")',
    '+    print("Hello")',
    '*** End Patch',
    'A new file begins with `*** Add File: PATH`, and each of its lines with +. `*** Delete File: PATH` removes a file.',
  ].join('\n'),
  parameters: 'text',
}
