import { jsonPreview } from '../finding.js'
import { callsIn, userMessage } from '../items.js'
import { inconclusive, type Outcome, type Scenario, unsupported } from '../scenario.js'
import { GET_TIME, GET_WEATHER } from './tools.js'

export const toolChoice: Scenario = {
  name: 'tool-choice',
  asks: 'tool_choice is obeyed: the name of a function, "required" and "none".',
  async run(server) {
    const body = { input: [userMessage('What is the weather in Oslo?')], tools: [GET_WEATHER, GET_TIME] }
    const doubts: Outcome[] = []
    for (const [request, tool_choice] of CHOICES) {
      const { isGood, refusal, items, response } = await server.stream(
        request,
        { ...body, tool_choice },
        { isOptional: true },
      )
      if (refusal !== undefined) doubts.push(unsupported(`tool_choice ${request} is refused: ${refusal}`))
      if (!isGood) continue
      const names = callsIn(items).map(({ name }) => name)
      const report = (expected: string): void => {
        server.report(request, { rule: 'tool-choice-kept', expected, got: `calls of ${jsonPreview(names)}` })
      }
      if (request === 'none') {
        if (names.length > 0) report('no call, as tool_choice "none" says')
      } else if (response['status'] === 'incomplete') {
        doubts.push(inconclusive(`the limit of tokens ended the call that tool_choice ${request} demands`))
      } else if (names.length === 0) {
        doubts.push(inconclusive(`the model answered in text in spite of tool_choice ${request}`))
      } else if (request === 'named' && names.some((name) => name !== 'get_time')) {
        report('calls of get_time alone, which tool_choice names')
      }
    }
    return doubts[0] ?? 'observed'
  },
}

const CHOICES = [
  ['named', { type: 'function', name: 'get_time' }],
  ['required', 'required'],
  ['none', 'none'],
] as const
