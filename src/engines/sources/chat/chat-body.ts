import type { PromptFields, PromptFormat, PromptTool } from '../../contract/prompt-fields.js'
import type { HttpCall } from '../http/http-call.js'
import { type ChatMessage, chatMessages } from './chat-messages.js'
import { ARGUMENT } from './free-text.js'
import type { ReadPrompt } from './read-prompt.js'
import type { ToolNames } from './tool-names.js'
import type { ChatTraits } from './traits.js'

export interface ChatBodyOptions {
  readonly model: string
  readonly prompt: ReadPrompt
  readonly names: ToolNames
  readonly traits: Required<ChatTraits>
  /** The field in which the server has sent reasoning; undefined before it has. */
  readonly reasoningField: string | undefined
  /** The limit of the answer; undefined: the server's own. */
  readonly max: number | undefined
  /** Of {@link stopsOf}. */
  readonly stop: readonly string[] | undefined
}

type Fields = Record<string, unknown>

/** Returns the request of a call. */
export function chatBody(
  { given, promptFields = {} }: Pick<HttpCall, 'given' | 'promptFields'>,
  options: ChatBodyOptions,
): object {
  const { model, prompt, names, traits, reasoningField, max, stop } = options
  const { effort } = promptFields
  const tools = toolsOf(promptFields)
  const isFormatted = promptFields.format !== undefined && (traits.formatBesideTools || tools.length === 0)
  const messages = chatMessages(prompt.messages, {
    promptFields,
    names,
    laterInstructions: traits.laterInstructions,
    reasoningField: traits.returnsReasoning ? reasoningField : undefined,
  })
  const body: Fields = {
    model,
    messages,
    ...(tools.length > 0 && {
      tools: tools.map((tool) => functionOf(tool, names, traits.strict)),
      ...choiceOf(promptFields, names, traits),
      ...(promptFields.isParallel === false && { parallel_tool_calls: false }),
    }),
    ...(isFormatted && formatOf(promptFields.format as PromptFormat, traits)),
    ...(effort !== undefined && { [traits.effortField]: traits.effortField === 'reasoning' ? { effort } : effort }),
    ...samplingOf(given),
    ...(max !== undefined && { [traits.limitField]: max }),
    ...(stop !== undefined && { stop }),
    stream: true,
    stream_options: { include_usage: true },
    ...continued(messages, prompt, traits),
  }
  for (const name of traits.omits) delete body[name]
  return body
}

/** The most strings that servers take. */
const MAX_STOPS = 4

/**
 * Returns the strings that a server is told of, at which it ends an answer. Servers search what the model writes, so that one
 * in its reasoning or in a call would end those: undefined where there may be either.
 *
 * @param hasReasoned - whether the server has sent reasoning
 */
export function stopsOf(
  { stop, tools = [] }: PromptFields,
  traits: Required<ChatTraits>,
  hasReasoned: boolean,
): readonly string[] | undefined {
  const isSafe = traits.stop && traits.thinkTags === 'none' && !hasReasoned && tools.length === 0
  return isSafe && stop !== undefined && stop.length <= MAX_STOPS ? stop : undefined
}

/** The names of what the caller gave: nothing is sent that it did not. */
function samplingOf({ temperature, topP, topK, minP, seed }: HttpCall['given']): Fields {
  const named = { temperature, top_p: topP, top_k: topK, min_p: minP, seed }
  return Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined))
}

/** Tools that a demand excludes are not offered. */
function toolsOf({ tools = [], demand }: PromptFields): readonly PromptTool[] {
  return demand === undefined ? tools : tools.filter(({ recipient }) => demand.includes(recipient))
}

function choiceOf({ demand }: PromptFields, names: ToolNames, { toolChoice }: Required<ChatTraits>): Fields {
  if (demand === undefined || toolChoice === 'none') return {}
  const [only, ...others] = demand
  if (only === undefined || others.length > 0 || toolChoice === 'required') return { tool_choice: 'required' }
  return { tool_choice: { type: 'function', function: { name: names.nameOf(only) } } }
}

const NO_PARAMETERS = { type: 'object', properties: {} } as const

function functionOf(
  { recipient, description, parameters, body, strict }: PromptTool,
  names: ToolNames,
  isStrict: boolean,
) {
  const schema = body === 'json' ? (parameters ?? NO_PARAMETERS) : inputSchema(ARGUMENT[body])
  return {
    type: 'function',
    function: {
      name: names.nameOf(recipient),
      ...(description !== undefined && { description }),
      parameters: schema,
      ...(isStrict && strict === true && { strict }),
    },
  }
}

function inputSchema(name: string): object {
  return { type: 'object', properties: { [name]: { type: 'string' } }, required: [name], additionalProperties: false }
}

const ANY_OBJECT = { type: 'object' } as const

function formatOf(
  { name, description, schema: given, strict }: PromptFormat,
  { formats, strict: isStrict }: Required<ChatTraits>,
) {
  if (formats === 'none') return {}
  const schema = given ?? (formats === 'schema_only' ? ANY_OBJECT : undefined)
  if (formats === 'json_object' || schema === undefined) return { response_format: { type: 'json_object' } }
  const json_schema = {
    name,
    ...(description !== undefined && { description }),
    schema,
    ...(isStrict && strict === true && { strict }),
  }
  return { response_format: { type: 'json_schema', json_schema } }
}

/** Adds the answer that the prompt has begun to the messages. @returns the fields that have the server continue it */
function continued(
  messages: ChatMessage[],
  { begun, opening }: ReadPrompt,
  { continues }: Required<ChatTraits>,
): Fields {
  if (opening !== 'answer' || begun === '' || continues === 'none') return {}
  const isPrefix = continues === 'prefix'
  messages.push({ role: 'assistant', content: begun, ...(isPrefix && { prefix: true }) })
  return isPrefix ? {} : { continue_final_message: true, add_generation_prompt: false }
}
