import { HOSTED_BUILTINS, type HostedBuiltin } from '../../core/recipients/builtin-tools.js'
import { aPolicy } from '../../core/recipients/check-policy.js'
import { withConversationSettings } from '../../core/recipients/conversation-settings.js'
import { type PolicyName, type RecipientPolicy, resolvePolicy } from '../../core/recipients/policy.js'
import type { McpListing } from '../../core/responses/mcp-listing.js'
import type { Fields } from '../../shared/fields.js'
import { checkOptions, type OptionTable } from '../../shared/options/check-options.js'
import { anObject, aText, listOf, oneOf, that } from '../../shared/options/checks.js'
import { invalidType, invalidValue } from '../../shared/request-error.js'
import { fieldOf, nameIn, objectAt, optionalTextIn } from '../../shared/request-fields.js'
import { atOnce, createWork, onePass, type Slices, type Work } from '../../shared/slices.js'
import { ATTACHMENT_POLICIES, type AttachmentPolicy, type AttachmentReading } from './attachments.js'
import { builtinNamespaces } from './builtin-namespaces.js'
import type { ReadMessage } from './conversation.js'
import { developerTextInSlices } from './developer-text.js'
import { dropOldReasoning } from './drop-reasoning.js'
import type { HistoryEntry } from './history.js'
import type { PromptMessage } from './prompt-message.js'
import { listingsWith, readInputInSlices } from './read-input.js'
import { systemText } from './system-text.js'
import { type TaughtTools, teachTools } from './taught-tools.js'
import type { TextCache } from './text-cache.js'
import type { ResponseFormat } from './tool-namespace.js'
import { toolsSectionInSlices } from './tools-section.js'

/** Options for reading a request. */
export interface PromptOptions {
  /** The date that the model is told: `YYYY-MM-DD`; undefined: none. */
  readonly date: string | undefined
  /** The listings of the declared MCP servers. Those that the client sends back (`mcp_list_tools`) count too. */
  readonly listings?: readonly McpListing[]
  /** The host's records of earlier responses: their tokens, and the contents of seals. */
  readonly history?: readonly HistoryEntry[]
  /** The policy of the translator, so that tools are taught as it accepts them. Default `openai`. */
  readonly policy?: RecipientPolicy | PolicyName
  /**
   * The built-in tools that the host runs: `code_interpreter`, `web_search`, and `shell` in a container. Others that
   * the request declares are not taught. Default: all three.
   */
  readonly hosted?: readonly HostedBuiltin[]
  /** How images and files are handled, which gpt-oss cannot see. Default `refuse-last`. */
  readonly images?: AttachmentPolicy
  /** The identity that the model is told. Default: that of gpt-oss's training. */
  readonly identity?: string
  /** The knowledge cut-off that the model is told. Default `2024-06`. */
  readonly knowledgeCutoff?: string
}

export const PROMPT_OPTIONS: OptionTable<PromptOptions> = {
  date: that((value) => typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value), "a string like '2026-01-31'"),
  listings: listOf(anObject, 'an array of listings'),
  history: listOf(anObject, 'an array of entries of the history'),
  policy: aPolicy,
  hosted: listOf(oneOf(...HOSTED_BUILTINS), `an array of ${HOSTED_BUILTINS.join(', ')}`),
  images: oneOf(...ATTACHMENT_POLICIES),
  identity: aText,
  knowledgeCutoff: aText,
}

/** Options for reading a request whose tools are resolved. */
export interface ReadOptions extends Omit<PromptOptions, 'listings' | 'policy' | 'hosted' | 'images'> {
  readonly images?: AttachmentReading
  readonly tools: TaughtTools
  /** The cache of encoded texts, which all requests may share: {@link createTextCache}. */
  readonly known?: TextCache
  /** The ids of the approval requests whose calls run before the model reads the prompt. Default: none. */
  readonly pendingApprovals?: ReadonlySet<string>
}

/** A request as read: its messages, some of which may still lack their text, and its tools. */
export interface RequestMessages {
  /** The system message, and the developer message unless it is empty. */
  readonly head: readonly PromptMessage[]
  readonly conversation: readonly ReadMessage[]
  readonly tools: TaughtTools
  /** How many placeholders stand in for images and files. */
  readonly placeholders: number
}

/**
 * Returns the Harmony messages of a Responses request: system message, developer message (instructions, tools,
 * formats), and the conversation without its old reasoning. Items that lack their text are omitted; {@link
 * renderPrompt} finds it in the history. docs/prompt.md has the table of items.
 *
 * @param request - a create request, as the client sent it: any JSON
 * @throws RequestError naming the parameter: the request cannot be rendered
 * @throws HarmonyResponsesError `bad_option`
 *
 * @example
 * ```ts
 * import { promptMessages } from 'harmony-responses/prompt'
 *
 * const messages = promptMessages({ input: 'Say hi.' }, { date: '2026-01-31' })
 * console.log(messages.map(({ role }) => role).join(' ')) // system user
 * ```
 */
export function promptMessages(request: object, options: PromptOptions): PromptMessage[] {
  checkOptions('promptMessages', options, PROMPT_OPTIONS, ['date'])
  const { head, conversation } = atOnce(readRequestInSlices(request, withTools(request, options), createWork()))
  return [...head, ...dropOldReasoning(conversation.filter(({ missing }) => missing !== 'omitted'))]
}

/**
 * Returns checked options with the resolved tools of a request.
 *
 * @throws RequestError like {@link promptMessages}
 */
export function withTools<Options extends PromptOptions>(
  request: object,
  { listings = [], policy, hosted = HOSTED_BUILTINS, ...options }: Options,
): Omit<Options, 'listings' | 'policy' | 'hosted'> & Pick<ReadOptions, 'tools'> {
  const fields = objectAt(request, 'request')
  const all = listingsWith(fieldOf(fields, 'input'), listings)
  return { ...options, tools: teachTools(fields, all, resolvePolicy(policy), hosted) }
}

/** @throws RequestError */
export function* readRequestInSlices(request: object, options: ReadOptions, work: Work): Slices<RequestMessages> {
  const { history = [], images = 'refuse-last', tools, pendingApprovals } = options
  const fields = withConversationSettings(request) as Fields
  const sealed = new Map(history.flatMap((entry) => ('sealed' in entry ? [[entry.sealed, entry] as const] : [])))
  let placeholders = 0
  const messages = yield* readInputInSlices(
    fieldOf(fields, 'input'),
    {
      tools,
      pendingApprovals,
      taughtAt: tools.later,
      attachments: images,
      unsealed: (blob) => sealed.get(blob),
      onPlaceholder() {
        placeholders += 1
      },
    },
    work,
  )

  const head = yield* headOf(fields, takeLeading(messages), tools.head, options, work)
  return { head, conversation: yield* headed(messages, options, work), tools, placeholders }
}

/** Removes the leading instructions from the messages: they belong to the head. */
export function takeLeading(messages: ReadMessage[]): string[] {
  const first = messages.findIndex(({ role, teaches }) => role !== 'developer' || teaches !== undefined)
  return messages.splice(0, first === -1 ? messages.length : first).map(({ content }) => content)
}

/**
 * Returns the system message, and the developer message unless it is empty.
 *
 * @param leading - leading instructions of the input
 * @param tools - what the head teaches
 */
export function* headOf(
  fields: Fields,
  leading: readonly string[],
  tools: TaughtTools['head'],
  { date, identity, knowledgeCutoff, known }: Pick<ReadOptions, 'date' | 'identity' | 'knowledgeCutoff' | 'known'>,
  work: Work,
): Slices<PromptMessage[]> {
  const instructions = [optionalTextIn(fields, 'instructions', ''), ...leading]
  const hasFunctions = tools.namespaces.some(({ name }) => name === 'functions')
  const system = systemText({
    date,
    effort: effortOf(fields),
    builtins: builtinNamespaces(tools.builtins),
    hasFunctions,
    identity,
    knowledgeCutoff,
  })
  const developerParts = {
    instructions: instructions.filter((text) => text).join('\n\n'),
    namespaces: tools.namespaces,
    formats: formatsOf(fields),
    types: known?.types,
  }
  const developer = yield* developerTextInSlices(developerParts, work)
  const head: PromptMessage[] = [{ role: 'system', content: system }]
  if (developer !== undefined) head.push({ role: 'developer', content: developer })
  return head
}

/** Adds the headings of the first developer message to those in the middle of the conversation. */
export function* headed(
  messages: readonly ReadMessage[],
  { known }: Pick<ReadOptions, 'known'>,
  work: Work,
): Slices<ReadMessage[]> {
  const read: ReadMessage[] = []
  yield* onePass(messages, work)
  for (const message of messages) {
    if (message.role !== 'developer') read.push(message)
    else {
      const { teaches, content: instructions, ...rest } = message
      const developerText =
        teaches === undefined
          ? yield* developerTextInSlices({ instructions, namespaces: [], formats: [] }, work)
          : yield* toolsSectionInSlices(teaches, work, known?.types)
      read.push({ ...rest, content: developerText ?? '' })
    }
  }
  return read
}

type Effort = 'low' | 'medium' | 'high'

/** Maps the API's efforts to those of gpt-oss. */
const EFFORTS: Readonly<Record<string, Effort>> = {
  none: 'low',
  minimal: 'low',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'high',
  max: 'high',
}

function effortOf(request: Fields): Effort {
  const reasoning = objectAt(fieldOf(request, 'reasoning') ?? {}, 'reasoning')
  const effort = optionalTextIn(reasoning, 'effort', 'reasoning') ?? 'medium'
  const known = Object.hasOwn(EFFORTS, effort) ? EFFORTS[effort] : undefined
  if (known === undefined) throw invalidValue('reasoning.effort', effort, Object.keys(EFFORTS))
  return known
}

/** Returns the required formats of the answer, from `text.format`. */
export function formatsOf(request: Fields): ResponseFormat[] {
  const text = objectAt(fieldOf(request, 'text') ?? {}, 'text')
  const param = 'text.format'
  const format = objectAt(fieldOf(text, 'format') ?? {}, param)
  const type = optionalTextIn(format, 'type', param) ?? 'text'
  if (type === 'text') return []
  if (type === 'json_object') return [{ name: 'json_object', schema: { type: 'object' } }]
  if (type !== 'json_schema') throw invalidValue(`${param}.type`, type, ['text', 'json_object', 'json_schema'])
  const schema = fieldOf(format, 'schema')
  if (typeof schema !== 'object') throw invalidType(`${param}.schema`, 'an object', schema)
  return [{ name: nameIn(format, 'name', param), description: optionalTextIn(format, 'description', param), schema }]
}
