import { type AIMessageChunk, type BaseMessage, HumanMessage, type ToolMessage } from '@langchain/core/messages'
import { type StructuredToolInterface, tool } from '@langchain/core/tools'
import { ChatOpenAI, customTool } from '@langchain/openai'
import { API_KEY, type Call, type Client, collectText, hostedCalls, messageOf, type Played } from '../play.js'
import { modelOf, runTool, type Scenario, type WireTool, withRawReasoning } from '../scenarios.js'

export const langchain: Client = {
  name: '@langchain/openai',
  profile: 'client:langchain',
  async play(scenario, baseURL, { onText, signal }) {
    const texts = collectText()
    const calls: Call[] = []
    const hosted: string[] = []
    const citations: { url: string; title: string }[] = []
    let reasoning = ''
    let turns = 0
    const played = (ending: Played['ending']): Played => ({
      text: texts.all(),
      reasoning,
      calls,
      hosted,
      citations,
      ending,
    })
    const own = ownTools(scenario)
    const model = new ChatOpenAI({
      model: modelOf(scenario),
      apiKey: API_KEY,
      configuration: { baseURL },
      useResponsesApi: true,
      maxRetries: 0,
    }).bindTools([...own, ...scenario.tools.filter(isHosted)] as never, { include: scenario.include } as never)
    const messages: BaseMessage[] = [new HumanMessage(scenario.prompt)]
    try {
      for (;;) {
        let whole: AIMessageChunk | undefined
        for await (const chunk of await model.stream(messages, { signal })) {
          whole = whole === undefined ? chunk : whole.concat(chunk)
          for (const block of (Array.isArray(chunk.content) ? chunk.content : []) as Block[]) {
            if (block.type === 'reasoning') reasoning += block.reasoning
            if (block.type !== 'text') continue
            citations.push(...(block.annotations ?? []).map(({ url, title }) => ({ url, title })))
            if (block.text === '') continue
            texts.add(String(turns), block.text)
            onText(block.text)
          }
        }
        if (whole === undefined) throw new Error('no message')
        const items = (whole.additional_kwargs['tool_outputs'] ?? []) as { type: string; id: string }[]
        hosted.push(...items.flatMap(hostedCalls))
        turns++
        const { tool_calls = [], response_metadata } = whole
        const status = response_metadata['status'] as Played['ending']
        messages.push(whole)
        for (const call of tool_calls) {
          const runs = own.find(({ name }) => name === call.name)
          const isCustom = scenario.tools.some((wire) => wire.type === 'custom' && wire.name === call.name)
          calls.push({ name: call.name, arguments: isCustom ? call.args['input'] : call.args })
          if (runs === undefined) continue
          const result: ToolMessage = await runs.invoke(call)
          // Its own mark for results of custom tools, which applications have to make.
          if (isCustom) result.additional_kwargs['customTool'] = true
          messages.push(result)
        }
        const asked = items.filter(({ type }) => type === 'mcp_approval_request')
        const approvals = asked.map(({ id }) => ({
          type: 'mcp_approval_response',
          approval_request_id: id,
          approve: true,
        }))
        if (approvals.length > 0) messages.push(new HumanMessage({ content: approvals as never }))
        else if (tool_calls.length === 0 || status !== 'completed') return played(status)
      }
    } catch (error) {
      return signal.aborted ? played('aborted') : { ...played('failed'), error: messageOf(error) }
    }
  },
  limits: [
    {
      scenario: ['reasoning, both'],
      what: 'no raw reasoning',
      because: 'of the two it shows the summary',
      shows: { reasoning: 'Rain is likely.' },
    },
    {
      scenario: ['shell in a container'],
      what: 'no output of the shell',
      because: 'it does not read shell_call_output items from a stream',
      shows: { hosted: [] },
    },
    {
      scenario: ['compaction by the host'],
      what: 'no compaction',
      because: 'it does not read compaction items from a stream; they are in response_metadata.output, and go back',
      shows: { hosted: [] },
    },
    {
      scenario: withRawReasoning,
      what: 'no raw reasoning',
      because: 'it does not know response.reasoning_text.*; reasoning: "summary" shows it',
      shows: { reasoning: '' },
    },
    {
      scenario: ['truncated call'],
      what: 'offers the truncated call',
      because:
        'it repairs the JSON of the deltas that it saw, and ignores how the item ended; calls: "whole" prevents it',
      shows: { calls: [{ name: 'get_weather', arguments: { city: 'Os' } }] },
    },
  ],
}

interface Block {
  readonly type: string
  readonly text: string
  readonly reasoning?: string
  readonly annotations?: { url: string; title: string }[]
}

function ownTools(scenario: Scenario): StructuredToolInterface[] {
  return scenario.tools.flatMap((wire): StructuredToolInterface[] => {
    if (wire.type === 'function') {
      const { name, description, parameters } = wire
      return [tool((input) => runTool(name, input), { name, description, schema: parameters }) as never]
    }
    if (wire.type !== 'custom') return []
    const { name, description } = wire
    return [customTool((input: string) => runTool(name, input), { name, description }) as never]
  })
}

const isHosted = ({ type }: WireTool): boolean => type !== 'function' && type !== 'custom'
