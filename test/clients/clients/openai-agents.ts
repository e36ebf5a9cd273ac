import {
  Agent,
  codeInterpreterTool,
  fileSearchTool,
  hostedMcpTool,
  imageGenerationTool,
  OpenAIResponsesModel,
  Runner,
  shellTool,
  type Tool,
  tool,
  webSearchTool,
} from '@openai/agents'
import OpenAI from 'openai'
import { API_KEY, type Call, type Client, collectText, hostedCalls, messageOf, type Played } from '../play.js'
import { modelOf, runTool, type WireTool, withRawReasoning } from '../scenarios.js'

export const openaiAgents: Client = {
  name: '@openai/agents',
  profile: 'client:openai-agents',
  async play(scenario, baseURL, { onText, signal }) {
    const texts = collectText()
    const calls: Call[] = []
    const hosted: string[] = []
    const citations: { url: string; title: string }[] = []
    let reasoning = ''
    const played = (ending: Played['ending']): Played => ({
      text: texts.all(),
      reasoning,
      calls,
      hosted,
      citations,
      ending,
    })
    const openai = new OpenAI({ baseURL, apiKey: API_KEY, maxRetries: 0 })
    const agent = new Agent({
      name: 'agent',
      model: new OpenAIResponsesModel(openai as never, modelOf(scenario)),
      modelSettings: { providerData: { include: scenario.include } },
      tools: scenario.tools.map((one) => toolOf(one, calls)),
    })
    try {
      const run = await new Runner({ tracingDisabled: true }).run(agent, scenario.prompt, { stream: true, signal })
      for await (const event of run) {
        if (event.type === 'raw_model_stream_event' && event.data.type === 'output_text_delta') {
          texts.add(String(event.data['itemId']), event.data.delta)
          onText(event.data.delta)
        }
        if (event.type !== 'run_item_stream_event') continue
        const { item } = event
        if (item.type === 'reasoning_item') {
          reasoning += [...(item.rawItem.rawContent ?? []), ...item.rawItem.content].map(({ text }) => text).join('')
        }
        if (item.type === 'tool_call_item' && item.rawItem.type === 'hosted_tool_call') {
          const { name, arguments: input, output, providerData } = item.rawItem
          hosted.push(...hostedCalls({ type: name, arguments: input, output, result: output, ...providerData }))
        }
        if (item.type === 'compaction_item') hosted.push(...hostedCalls(item.rawItem))
        if (item.type === 'tool_call_output_item' && item.rawItem.type === 'shell_call_output') {
          hosted.push(...hostedCalls(item.rawItem))
        }
        if (item.type === 'message_output_item') {
          for (const part of item.rawItem.content) {
            if (part.type !== 'output_text') continue
            const annotations = (part.providerData?.['annotations'] ?? []) as { url: string; title: string }[]
            citations.push(...annotations.map(({ url, title }) => ({ url, title })))
          }
        }
      }
      await run.completed
      return played(signal.aborted ? 'aborted' : 'completed')
    } catch (error) {
      return signal.aborted ? played('aborted') : { ...played('failed'), error: messageOf(error) }
    }
  },
  limits: [
    {
      scenario: ['code without a runner'],
      what: 'throws at code without a result',
      because:
        'it throws when it sends back a code interpreter call that is not "completed", or a web search that is ' +
        '"incomplete": hosts have to answer every call',
      shows: {
        text: [],
        ending: 'failed',
        error: 'Invalid option: expected one of "in_progress"|"completed"|"interpreting"',
      },
    },
    {
      scenario: ['reasoning, both'],
      what: 'no raw reasoning',
      because: 'of the two it shows the summary',
      shows: { reasoning: 'Rain is likely.' },
    },
    {
      scenario: withRawReasoning,
      what: 'no raw reasoning',
      because:
        'its reasoning items show summaries; raw reasoning is only in their providerData. reasoning: "summary" shows it',
      shows: { reasoning: '' },
    },
    {
      scenario: ['compaction by the host'],
      what: 'sends nothing older than a compaction',
      because: 'it takes the latest compaction to contain everything before it, so hosts have to put that into it',
      shows: { sentBack: { message: 'absent', reasoning: 'absent' } },
    },
    {
      scenario: ['file search and image by the host'],
      what: 'sends no image back',
      because: 'it moves the image into the output of an item of its own, and sends back one whose result is null',
      shows: { sentBack: { image_generation_call: 'other result' } },
    },
    {
      scenario: ['custom tool'],
      what: 'no custom tools',
      because:
        'it cannot declare them; where the host does, the call is an unknown item, and it asks again without a result',
      shows: { calls: [], sentBack: { custom_tool_call: 'absent', custom_tool_call_output: 'absent' } },
    },
    {
      scenario: ['truncated answer', 'truncated call', 'truncated call, whole'],
      what: 'truncation is an error',
      because: 'it throws ModelBehaviorError at response.incomplete',
      shows: {
        ending: 'failed',
        error: 'OpenAI Responses request ended with unsuccessful terminal state "response.incomplete".',
      },
    },
  ],
}

function toolOf(wire: WireTool, calls: Call[]): Tool {
  switch (wire.type) {
    case 'function': {
      const { name, description, parameters, strict } = wire
      return tool({
        name,
        description,
        parameters: parameters as never,
        strict: strict as never,
        execute: (input: unknown) => {
          calls.push({ name, arguments: input })
          return runTool(name, input)
        },
      })
    }
    case 'mcp':
      return hostedMcpTool({
        serverLabel: wire.server_label,
        serverUrl: wire.server_url,
        ...(wire.require_approval === 'never'
          ? { requireApproval: 'never' }
          : { requireApproval: 'always', onApproval: async () => ({ approve: true }) }),
      })
    case 'code_interpreter':
      return codeInterpreterTool({ container: { type: 'auto' } })
    case 'web_search':
      return webSearchTool()
    case 'shell':
      return shellTool({ environment: { type: 'container_auto' } })
    case 'file_search':
      return fileSearchTool(wire.vector_store_ids)
    case 'image_generation':
      return imageGenerationTool()
    case 'custom':
      // It has no custom tools, so this declares one like a hosted tool. Nothing runs it.
      return { type: 'hosted_tool', name: wire.name, providerData: wire }
  }
}
