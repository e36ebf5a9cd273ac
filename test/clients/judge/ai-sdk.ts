import { createOpenAI } from '@ai-sdk/openai'
import { jsonSchema, stepCountIs, streamText, type TextStreamPart, type ToolSet, tool } from 'ai'
import type { Ending } from '../../../src/judge/conformance/clients/client.js'
import { parsed } from './meant.js'
import type { Outcome, Replayer } from './replay.js'

type Hosted = NonNullable<Outcome['hosted']>[number]

/**
 * `streamText` with `openai.responses(...)` of @ai-sdk/openai, for one step: later steps do not depend on this stream.
 */
export const aiSdkReplayer: Replayer = { client: 'ai-sdk', replay }

async function replay(body: string): Promise<Outcome> {
  const openai = createOpenAI({
    apiKey: 'none',
    baseURL: 'http://replayed.invalid/v1',
    fetch: async () => new Response(body, { headers: { 'content-type': 'text/event-stream' } }),
  })
  const tools = toolsIn(openai, body)
  const { fullStream, text } = streamText({
    model: openai.responses('gpt-oss-20b'),
    prompt: 'replay',
    tools,
    stopWhen: stepCountIs(1),
    maxRetries: 0,
    // Self-hosted servers keep nothing.
    providerOptions: { openai: { store: false } },
    onError: () => {},
  })
  // It rejects if the run has no step. `ending` reports that.
  const result = Promise.resolve(text).catch(() => undefined)
  const seen = new Watched(tools)
  try {
    for await (const part of fullStream) seen.take(part)
  } catch (error) {
    seen.error ??= String(error)
    seen.isOwnError = true
  }
  const final = await result
  return seen.outcome(final)
}

/** What comes out of `fullStream`. */
class Watched {
  #streamed = ''
  #reasoning = ''
  readonly #calls: { name: string; arguments: unknown; isText: boolean }[] = []
  readonly #called = new Set<string>()
  readonly #hosted: Hosted[] = []
  readonly #sources: string[] = []
  readonly #cited: string[] = []
  #isSearched = false
  #ending: Ending | undefined
  #finish: Outcome['finish']
  error: string | undefined
  /** The SDK's own error, not one that the server sent. */
  isOwnError = false
  readonly #tools: ToolSet

  constructor(tools: ToolSet) {
    this.#tools = tools
  }

  take(part: TextStreamPart<ToolSet>): void {
    switch (part.type) {
      case 'text-delta':
        this.#streamed += part.text
        break
      case 'text-end': {
        const { annotations } = Object(part.providerMetadata?.['openai']) as { annotations?: object[] }
        this.#cited.push(...(annotations ?? []).map((one) => ('url' in one ? String(one.url) : fileOf(one))))
        break
      }
      case 'reasoning-delta':
        this.#reasoning += part.text
        break
      case 'tool-call': {
        if (part.providerExecuted === true || !isNamed(this.#tools[part.toolName])) {
          this.#called.add(part.toolCallId)
          this.#host('call', part.toolName, inputOf(part.toolName, part.input))
          break
        }
        // For a custom tool it is always text.
        const isText = this.#tools[part.toolName]?.type === 'provider'
        this.#calls.push({ name: part.toolName, arguments: isText ? parsed(String(part.input)) : part.input, isText })
        break
      }
      case 'tool-result':
        // The application provides the results of its own tools.
        if (part.providerExecuted === true) this.#host('result', part.toolName, this.#callOf(part))
        break
      case 'tool-error':
        if (part.providerExecuted === true) this.#host('error', part.toolName, this.#callOf(part))
        break
      case 'tool-approval-request':
        this.#host('approval', '')
        break
      case 'custom':
        this.#host('custom', part.kind)
        break
      case 'source':
        this.#source(part)
        break
      case 'error':
        this.error ??= messageOf(part.error)
        this.isOwnError ||= !isOfServer(part.error)
        break
      case 'finish':
        this.#ending = endingOf(part.finishReason, part.rawFinishReason)
        if (part.finishReason === 'stop' || part.finishReason === 'tool-calls') this.#finish = part.finishReason
    }
  }

  #callOf({ toolCallId, toolName }: { readonly toolCallId: string; readonly toolName: string }): string {
    // A search by tools, a shell and a program may be answered in a later response than they were called in.
    return OWN_CALL.has(toolName) && !this.#called.has(toolCallId) ? 'without its call' : ''
  }

  #host(kind: Hosted['kind'], name: string, text = ''): void {
    this.#hosted.push({ kind, name, text })
  }

  #source(source: Extract<TextStreamPart<ToolSet>, { type: 'source' }>): void {
    const { type, fileId } = Object(source.providerMetadata?.['openai']) as { type?: string; fileId?: string }
    // The results of a search have no title, unlike annotations.
    if (source.sourceType === 'url' && source.title === undefined) this.#isSearched = true
    else if (type === 'file_search') this.#isSearched = true
    else this.#sources.push(source.sourceType === 'url' ? source.url : String(fileId))
  }

  outcome(final: string | undefined): Outcome {
    const ending = this.isOwnError ? 'threw' : (this.#ending ?? (this.error === undefined ? 'open' : 'failed'))
    return {
      streamed: this.#streamed,
      ...(final !== undefined && { final }),
      reasoning: this.#reasoning,
      calls: this.#calls,
      // If a search gave its sources, annotations are not additional sources: they belong to the text.
      citations: this.#isSearched ? this.#cited : this.#sources,
      hosted: this.#hosted,
      ending,
      ...(this.#finish !== undefined && { finish: this.#finish }),
      ...(this.error !== undefined && { error: this.error }),
    }
  }
}

/** Tools whose calls stand in the same response as their results. */
const OWN_CALL = new Set(['web_search', 'file_search', 'image_generation', 'code_interpreter'])

/** The input of a call, as one text. */
function inputOf(name: string, input: unknown): string {
  const { code, action, operation, arguments: given } = Object(input) as { [field: string]: unknown }
  const { commands, command } = Object(action) as { [field: string]: unknown }
  if (name === 'code_interpreter' || name === 'programmatic_tool_calling') return String(code)
  if (name === 'shell') return JSON.stringify(commands)
  if (name === 'local_shell') return JSON.stringify(command)
  if (name === 'apply_patch') {
    const { type, path, diff } = Object(operation) as { [field: string]: unknown }
    return JSON.stringify([type, path, diff])
  }
  if (name === 'tool_search') return JSON.stringify(given)
  return name.startsWith('mcp.') ? JSON.stringify(input) : ''
}

const fileOf = (annotation: object): string => String((annotation as { file_id?: unknown }).file_id)

function endingOf(reason: string, raw: string | undefined): Ending {
  if (reason === 'stop' || reason === 'tool-calls') return 'completed'
  if (reason === 'error') return 'failed'
  if (reason === 'interrupted') return 'open'
  // A refusal is also `content-filter`, although the response completed.
  return reason === 'content-filter' && raw === undefined ? 'completed' : 'incomplete'
}

/** Whether the error came from the server: thrown before the output began, or as a part of the stream. */
function isOfServer(error: unknown): boolean {
  const { name, data } = Object(error) as { name?: string; data?: { type?: unknown } }
  if (name === 'AI_APICallError') return data?.type === 'error' || data?.type === 'response.failed'
  return name === 'AI_StreamProviderError'
}

/** The error message, without the repeated event and the SDK's list of expectations. */
function messageOf(error: unknown): string {
  const { name, message } = Object(error) as { name?: string; message?: string }
  if (name === 'AI_TypeValidationError') return 'Type validation failed'
  return message ?? String(error)
}

/** Whether a tool has one of the application's names: calls of other tools have separate items. */
function isNamed(tool: ToolSet[string] | undefined): boolean {
  return tool !== undefined && (tool.type !== 'provider' || tool.id === 'openai.custom')
}

/** All tools that the stream names, as if the application had declared each. */
function toolsIn({ tools: provided }: ReturnType<typeof createOpenAI>, body: string): ToolSet {
  const tools: ToolSet = {}
  const execute = () => 'done'
  for (const item of itemsIn(body)) {
    const { type, name } = item
    if (type === 'function_call' && typeof name === 'string') {
      tools[name] = tool({ inputSchema: jsonSchema<unknown>({}), execute })
    } else if (type === 'custom_tool_call' && typeof name === 'string') {
      tools[name] = { ...provided.customTool({}), execute } as never
    } else if (type === 'web_search_call') tools['web_search'] = provided.webSearch({})
    else if (type === 'code_interpreter_call') tools['code_interpreter'] = provided.codeInterpreter({})
    else if (type === 'file_search_call') tools['file_search'] = provided.fileSearch({ vectorStoreIds: ['none'] })
    else if (type === 'image_generation_call') tools['image_generation'] = provided.imageGeneration({})
    else if (type === 'mcp_call') tools['mcp'] = provided.mcp({ serverLabel: 'none', serverUrl: 'http://mcp.invalid' })
    else if (type === 'local_shell_call') {
      tools['local_shell'] = provided.localShell({ execute: async () => ({ output: '' }) })
    } else if (type === 'shell_call_output') {
      tools['shell'] = provided.shell({ environment: { type: 'containerAuto' } })
    } else if (type === 'shell_call') {
      tools['shell'] ??= provided.shell({ execute: async () => ({ output: [] }) })
    } else if (type === 'apply_patch_call') {
      tools['apply_patch'] = provided.applyPatch({ execute: async () => ({ status: 'completed' }) })
    }
  }
  return tools
}

function itemsIn(body: string): { type?: unknown; name?: unknown }[] {
  return body.split('\n').flatMap((line) => {
    try {
      const { item } = Object(JSON.parse(line.replace(/^data: /, '')))
      return typeof item === 'object' && item !== null ? [item] : []
    } catch {
      return []
    }
  })
}
