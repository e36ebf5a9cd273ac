import { createOpenResponses } from '@ai-sdk/open-responses'
import { API_KEY, type Call, type Client } from '../play.js'
import { modelOf, withCalls, withHostedCalls } from '../scenarios.js'
import { functionTools, playSteps } from './ai-sdk.js'

/**
 * Despite its name it reads OpenAI's wording: `response.reasoning_text.*`, not Open Responses' `response.reasoning.*`.
 */
export const aiSdkOpenResponses: Client = {
  name: '@ai-sdk/open-responses',
  profile: 'client:ai-sdk',
  play(scenario, baseURL, options) {
    const calls: Call[] = []
    const provider = createOpenResponses({ name: 'local', url: `${baseURL}/responses`, apiKey: API_KEY })
    return playSteps(scenario, provider(modelOf(scenario)), functionTools(scenario, calls), calls, options)
  },
  limits: [
    {
      scenario: ['reasoning, both'],
      what: 'mixes both reasonings',
      because: 'it appends the deltas of the summary to those of the raw reasoning as they come',
      shows: { reasoning: 'RainRain is is likely likely..' },
    },
    {
      scenario: withCalls,
      what: 'sends items back in part',
      because: 'it builds the input from its own messages: without status and phase, and never any hosted call',
      shows: {
        sentBack: {
          reasoning: 'without status',
          message: 'without phase, status; other content',
          function_call: 'without status',
          web_search_call: 'absent',
          code_interpreter_call: 'absent',
          file_search_call: 'absent',
          image_generation_call: 'absent',
          compaction: 'absent',
        },
      },
    },
    {
      scenario: ['custom tool'],
      what: 'no custom tools',
      because: 'it knows only function calls: the call is not shown, and stays unanswered',
      shows: { text: [], calls: [] },
    },
    {
      scenario: withHostedCalls,
      what: 'no hosted calls',
      because: 'it knows only messages, reasoning and function calls',
      shows: { hosted: [] },
    },
    {
      scenario: ['MCP approval'],
      what: 'no approval',
      because: 'the approval request is not shown, and stays unanswered',
      shows: { text: [] },
    },
    {
      scenario: ['web search'],
      what: 'no citations',
      because: 'it does not read annotations',
      shows: { citations: [] },
    },
  ],
}
