import {
  jsonSchema,
  type LanguageModel,
  type ModelMessage,
  type ProviderMetadata,
  stepCountIs,
  streamText,
  type ToolApprovalResponse,
  type ToolSet,
  tool,
} from 'ai'
import { type Call, collectText, hostedCalls, messageOf, type Played, type PlayOptions } from '../play.js'
import { runTool, type Scenario, toolsOf } from '../scenarios.js'

/** The function tools, run by the SDK; each call is recorded. */
export function functionTools(scenario: Scenario, calls: Call[]): ToolSet {
  return Object.fromEntries(
    toolsOf(scenario, 'function').map(({ name, description, parameters }) => [
      name,
      tool({
        description,
        inputSchema: jsonSchema<unknown>(parameters),
        execute: (input) => {
          calls.push({ name, arguments: input })
          return runTool(name, input)
        },
      }),
    ]),
  )
}

/** `streamText` over as many steps as it takes. */
export async function playSteps(
  scenario: Scenario,
  model: LanguageModel,
  tools: ToolSet,
  calls: Call[],
  { onText, signal }: PlayOptions,
): Promise<Played> {
  const texts = collectText()
  const hosted: string[] = []
  const citations: { url: string; title: string }[] = []
  const asked = new Map<string, unknown>()
  let reasoning = ''
  let ending: Played['ending'] = 'failed'
  let error: string | undefined
  const messages: ModelMessage[] = [{ role: 'user', content: scenario.prompt }]
  for (;;) {
    const approvals: ToolApprovalResponse[] = []
    const { fullStream, response } = streamText({
      model,
      messages,
      tools,
      stopWhen: stepCountIs(5),
      maxRetries: 0,
      abortSignal: signal,
      // Self-hosted servers keep nothing: the items themselves are to be sent back, not references to them.
      providerOptions: { openai: { store: false } },
      onError: () => {},
    })
    for await (const part of fullStream) {
      switch (part.type) {
        case 'text-delta':
          texts.add(part.id, part.text)
          onText(part.text)
          break
        case 'reasoning-delta':
          reasoning += part.text
          break
        case 'tool-call':
          asked.set(part.toolCallId, part.input)
          break
        case 'tool-result':
          if (part.providerExecuted) hosted.push(hostedCall(part.toolName, asked.get(part.toolCallId), part.output))
          break
        case 'custom':
          hosted.push(...hostedCalls(itemOf(part)))
          break
        case 'tool-approval-request':
          approvals.push({
            type: 'tool-approval-response',
            approvalId: part.approvalId,
            approved: true,
            // Without this mark of the application, the SDK does not send the answer.
            providerExecuted: part.toolCall.providerExecuted === true,
          })
          break
        case 'source':
          if (part.sourceType === 'url') citations.push({ url: part.url, title: part.title ?? '' })
          break
        case 'error':
          error = messageOf(part.error)
          break
        case 'abort':
          ending = 'aborted'
          break
        case 'finish':
          ending = ENDINGS[part.finishReason] ?? 'failed'
      }
    }
    if (approvals.length === 0) break
    // The user approves everything, and the run goes on.
    messages.push(...(await response).messages, { role: 'tool', content: approvals })
  }
  const played = { text: texts.all(), reasoning, calls, hosted, citations, ending }
  return error === undefined ? played : { ...played, error }
}

const ENDINGS: Readonly<Record<string, Played['ending']>> = { stop: 'completed', length: 'incomplete' }

/** An item without a name in the SDK keeps the provider's: compaction. */
function itemOf({ providerMetadata }: { readonly providerMetadata?: ProviderMetadata }): object {
  const { type, encryptedContent } = providerMetadata?.['openai'] ?? {}
  return { type, encrypted_content: encryptedContent }
}

interface Action {
  type: string
  query?: string
  url?: string
  pattern?: string
}

/** In the form of `hostedCall` in ../play.js, from the SDK's own parts. */
function hostedCall(name: string, input: unknown, output: unknown): string {
  const { serverLabel, output: said, outputs, action } = output as Record<string, unknown>
  if (name.startsWith('mcp.')) {
    return `mcp_call ${serverLabel}.${name.slice(4)} ${JSON.stringify(input)} -> ${said ?? 'failed'}`
  }
  if (name === 'code_interpreter') {
    // null if the request did not ask for them.
    const logs = ((outputs ?? []) as { logs: string }[]).map((one) => one.logs).join('')
    return `code_interpreter_call ${(input as { code: string }).code} -> ${logs}`
  }
  if (name === 'shell') {
    const { output: results } = output as { output: { stdout: string }[] }
    return `shell_call_output ${results.map(({ stdout }) => stdout).join('')}`
  }
  if (name === 'file_search') {
    const { queries, results } = output as { queries: string[]; results: { filename: string }[] | null }
    const found = (results ?? []).map(({ filename }) => filename).join(', ')
    return `file_search_call ${queries.join(', ')} -> ${found}`
  }
  if (name === 'image_generation') return `image_generation_call -> ${(output as { result: string }).result}`
  const { type, query, url } = action as Action
  return `web_search_call ${type === 'openPage' ? 'open_page' : type} ${query ?? url}`
}
