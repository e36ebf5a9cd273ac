import { HOSTED_BUILTINS, type HostedBuiltin } from '../../core/recipients/builtin-tools.js'
import {
  type DeclaringRequest,
  declarationReader,
  type ToolList,
  toolLists,
  withConversationTools,
} from '../../core/recipients/conversation-tools.js'
import { type DeclareMore, growingTools } from '../../core/recipients/declared-tools.js'
import { lookUp, type RecipientPolicy } from '../../core/recipients/policy.js'
import type { Recipient } from '../../core/recipients/recipient.js'
import { type RequestTools, resolveTools } from '../../core/recipients/request-tools.js'
import type { ToolChoice } from '../../core/recipients/tool-choice.js'
import { hintsOf } from '../../core/recipients/tool-hints.js'
import type { McpListing } from '../../core/responses/mcp-listing.js'
import { HarmonyResponsesError } from '../../shared/errors.js'
import type { Fields } from '../../shared/fields.js'
import { RequestError } from '../../shared/request-error.js'
import { fieldOf, listAt, nameIn, objectAt } from '../../shared/request-fields.js'
import { atOnce, type Slices } from '../../shared/slices.js'
import { isInstruction } from './items-to-read.js'
import type { Lesson } from './lessons.js'
import { createCourse, type OmittedTool, taughtPart, teachList } from './teach-list.js'
import { toolChoiceOf } from './tool-choice.js'
import type { ToolNamespace } from './tool-namespace.js'

export type { OmittedTool }

/*
 * The prompt teaches exactly what `classifyRecipient` accepts: a tool is taught by the first of its spellings that is
 * classified as that tool.
 */

/** The tools of a request: the taught ones, and the recipient of each. */
export interface TaughtTools extends RequestTools, Lesson {
  /** The listings of the declared MCP servers, fresh or from the conversation. */
  readonly listings: readonly McpListing[]
  /** The built-in tools that the host runs. */
  readonly hosted: readonly HostedBuiltin[]
  /** What the system and developer messages at the head teach. */
  readonly head: Lesson
  /** The namespaces that `additional_tools` items teach at their places, by item: none that belongs to the head. */
  readonly later: ReadonlyMap<object, readonly ToolNamespace[]>
  readonly omitted: readonly OmittedTool[]
  /** The types of tools that are not taught, because nothing runs them: as declared, each once. */
  readonly untaught: readonly string[]
}

/** {@link toolsInSlices}, at once. */
export function teachTools(...given: Parameters<typeof toolsInSlices>): TaughtTools {
  return atOnce(toolsInSlices(...given))
}

/**
 * Reads the tools of a request and of its conversation (`additional_tools`).
 *
 * @param listings - the listings of the declared MCP servers
 * @param hosted - the built-in tools that the host runs
 * @param choice - the result of {@link toolChoiceOf}, if known
 * @throws RequestError if a tool is malformed, or a client's tool cannot be addressed: another one has its name
 */
export function* toolsInSlices(
  request: Fields,
  listings: readonly McpListing[],
  policy: RecipientPolicy,
  hosted: readonly HostedBuiltin[] = HOSTED_BUILTINS,
  choice: ToolChoice = toolChoiceOf(request),
): Slices<TaughtTools> {
  listAt(fieldOf(request, 'tools') ?? [], 'tools')
  const lists = toolLists(request as DeclaringRequest)
  checkCount(lists)
  for (const { tools, path } of lists) for (const [at, tool] of tools.entries()) namedTool(tool, `${path}[${at}]`)
  const whole = withConversationTools(request as DeclaringRequest)
  const { tools } = whole.request
  const resolved = orRequestError(() => resolveTools({ tools, choice }, listings, policy), whole.placeOf)
  const growing = growingTools(hintsOf(listings))
  // What a later list replaces is not among the resolved tools, and may be malformed, too.
  const declareMore: DeclareMore = (more, path) =>
    lists.length === 1
      ? resolved.declared
      : orRequestError(
          () => growing(more, path),
          (param) => param,
        )
  const readList = declarationReader(taughtPart)
  const course = createCourse({ policy, hosted, choice }, listings)
  const { lessons, omitted, untaught } = course
  const leading = leadingItems(request['input'])
  for (const list of lists) {
    lessons.begin((list.item ?? -1) < leading)
    yield* teachList(course, list, readList(list.tools), declareMore(list.tools, list.path))
  }
  const later = lessons.later.flatMap((namespaces, nth) => {
    const { item } = lists[nth] as ToolList
    // An item may be the same object as an earlier one, which then teaches at both places.
    return item === undefined || namespaces.length === 0
      ? []
      : [[(request['input'] as readonly object[])[item] as object, namespaces] as const]
  })
  return {
    ...resolved,
    ...lessons.all((recipient) => lists.length === 1 || isStillTool(resolved.classifyPast(recipient, undefined))),
    listings,
    hosted,
    head: lessons.head,
    later: new Map(later),
    omitted,
    untaught: [...untaught],
  }
}

/**
 * The limit of tools that items of a conversation declare, repetitions included. Reading them takes some 50 microseconds
 * each, without a pause.
 */
const MAX_TOOLS_OF_ITEMS = 10_000

/** @throws RequestError if items declare too many tools */
function checkCount(lists: readonly ToolList[]): void {
  let count = 0
  for (const { tools, item } of lists) {
    if (item === undefined) continue
    count += tools.length
    if (count <= MAX_TOOLS_OF_ITEMS) continue
    const param = `input[${item}].tools`
    const reason = `items of the conversation declare more than ${MAX_TOOLS_OF_ITEMS} tools in total`
    throw new RequestError(`Invalid '${param}': ${reason}.`, { param, code: 'invalid_value' })
  }
}

/** Returns how many items of the input belong to the head: instructions in front of everything else. */
function leadingItems(input: unknown): number {
  if (!Array.isArray(input)) return 0
  const first = input.findIndex((item) => !isInstruction(Object(item) as Fields))
  return first === -1 ? input.length : first
}

/** Whether a recipient that was taught once still addresses a tool: a later declaration may exclude it. */
function isStillTool(callee: Recipient): boolean {
  return callee.kind !== 'mcp_call' || callee.available
}

/** The field that names a tool of each type. */
const NAMES: Readonly<Record<string, string>> = {
  function: 'name',
  custom: 'name',
  namespace: 'name',
  mcp: 'server_label',
}

/** @throws RequestError if the tool has no type, or lacks a required name */
function namedTool(tool: unknown, param: string): void {
  const fields = objectAt(tool, param)
  const name = lookUp(NAMES, nameIn(fields, 'type', param))
  if (name !== undefined) nameIn(fields, name, param)
  if (fields['type'] === 'namespace') {
    for (const [at, member] of listAt(fieldOf(fields, 'tools') ?? [], `${param}.tools`).entries()) {
      namedTool(member, `${param}.tools[${at}]`)
    }
  }
}

/**
 * Reads tools as the translator does, whose errors name the parameter, and reports them as the client's mistakes.
 *
 * @param placeOf - returns the client's own parameter
 */
function orRequestError<Result>(read: () => Result, placeOf: (param: string) => string): Result {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof HarmonyResponsesError)) throw error
    const at = error.message.slice(0, error.message.indexOf(': '))
    const param = placeOf(at)
    const message = `Invalid '${param}': ${error.message.slice(at.length + 2)}.`
    throw new RequestError(message, { param, code: 'invalid_value' })
  }
}
