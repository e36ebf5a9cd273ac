import { createOpenAI } from '@ai-sdk/openai'
import type { ToolSet } from 'ai'
import { API_KEY, type Call, type Client } from '../play.js'
import { modelOf, runTool, type Scenario, toolsOf, withCalls, withRawReasoning } from '../scenarios.js'
import { functionTools, playSteps } from './ai-sdk.js'

export const aiSdkOpenai: Client = {
  name: '@ai-sdk/openai',
  profile: 'client:ai-sdk',
  play(scenario, baseURL, options) {
    const calls: Call[] = []
    const openai = createOpenAI({ baseURL, apiKey: API_KEY })
    const tools = { ...functionTools(scenario, calls), ...providerTools(openai, scenario, calls) }
    return playSteps(scenario, openai.responses(modelOf(scenario)), tools, calls, options)
  },
  limits: [
    {
      scenario: ['search without a runner'],
      what: 'no search without a result',
      because: 'it shows a search once its item is done with a result, and sends back no other',
      shows: { hosted: [], sentBack: { web_search_call: 'absent' } },
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
      because: 'it does not know response.reasoning_text.*; reasoning: "summary" shows it',
      shows: { reasoning: '' },
    },
    {
      scenario: ['call, sealed reasoning'],
      what: 'sends items back in part',
      because: 'sealed reasoning comes back, with its id, summary and encrypted_content',
      shows: { sentBack: { reasoning: 'without content, status', function_call: 'without id, status' } },
    },
    {
      scenario: withCalls.filter((name) => name !== 'call, sealed reasoning'),
      what: 'sends items back in part',
      because:
        'it builds the input from its own messages: without ids and status, text without annotations, no reasoning that ' +
        'is not sealed, no approval requests (the server has to remember them), no hosted calls; with store: true, its default, it would send item_reference instead',
      shows: {
        sentBack: {
          reasoning: 'absent',
          message: 'without id, status, type; other content',
          mcp_approval_request: 'absent',
          code_interpreter_call: 'absent',
          file_search_call: 'absent',
          image_generation_call: 'absent',
          function_call: 'without id, status',
          custom_tool_call: 'without status',
        },
      },
    },
  ],
}

function providerTools(openai: ReturnType<typeof createOpenAI>, scenario: Scenario, calls: Call[]): ToolSet {
  const tools: ToolSet = {}
  for (const { name, description } of toolsOf(scenario, 'custom')) {
    tools[name] = {
      ...openai.tools.customTool({ description }),
      execute: (input: unknown) => {
        calls.push({ name, arguments: input })
        return runTool(name, input)
      },
    } as never
  }
  for (const { server_label, server_url, require_approval } of toolsOf(scenario, 'mcp')) {
    tools['mcp'] = openai.tools.mcp({
      serverLabel: server_label,
      serverUrl: server_url,
      requireApproval: require_approval,
    })
  }
  if (toolsOf(scenario, 'code_interpreter').length > 0) tools['code_interpreter'] = openai.tools.codeInterpreter({})
  if (toolsOf(scenario, 'shell').length > 0) {
    tools['shell'] = openai.tools.shell({ environment: { type: 'containerAuto' } })
  }
  for (const { vector_store_ids } of toolsOf(scenario, 'file_search')) {
    tools['file_search'] = openai.tools.fileSearch({ vectorStoreIds: vector_store_ids })
  }
  if (toolsOf(scenario, 'image_generation').length > 0) tools['image_generation'] = openai.tools.imageGeneration({})
  if (toolsOf(scenario, 'web_search').length > 0) tools['web_search'] = openai.tools.webSearch({})
  return tools
}
