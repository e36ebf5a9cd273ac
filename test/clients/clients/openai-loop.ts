import { type Call, collectText, hostedCalls, messageOf, type Played } from '../play.js'
import { modelOf, runTool, type Scenario } from '../scenarios.js'

export interface Item {
  readonly type: string
  readonly [field: string]: unknown
}

export interface RequestBody {
  readonly model: string
  readonly input: readonly object[]
  readonly tools: readonly object[]
  readonly include: readonly string[]
}

/** The output of one turn while it streams. */
export interface Screen {
  text(itemId: string, text: string): void
  reasoning(kind: 'raw' | 'summary', text: string): void
}

/** The result of a turn: its items, and the status of its response. */
export interface Turn {
  readonly output: readonly Item[]
  readonly ending: Played['ending']
}

/** The loop that every application around the SDK has: run the calls, send everything back, ask again. */
export async function playTurns(
  scenario: Scenario,
  { onText, signal }: { onText: (text: string) => void; signal: AbortSignal },
  turn: (body: RequestBody, screen: Screen) => Promise<Turn>,
): Promise<Played> {
  const texts = collectText()
  const calls: Call[] = []
  const items: Item[] = []
  const reasoning = { raw: '', summary: '' }
  const screen: Screen = {
    text(itemId, text) {
      texts.add(itemId, text)
      onText(text)
    },
    reasoning(kind, text) {
      reasoning[kind] += text
    },
  }
  let input: object[] = [{ type: 'message', role: 'user', content: scenario.prompt }]
  const body = { model: modelOf(scenario), tools: scenario.tools, include: scenario.include }
  const played = (ending: Played['ending']): Played => ({
    text: texts.all(),
    reasoning: reasoning.raw + reasoning.summary,
    calls,
    hosted: items.flatMap(hostedCalls),
    citations: items.flatMap(citationsOf),
    ending,
  })
  try {
    for (;;) {
      const { output, ending } = await turn({ ...body, input }, screen)
      items.push(...output)
      const results = output.flatMap((item) => resultOf(item, calls))
      if (results.length === 0 || ending !== 'completed') return played(ending)
      input = [...input, ...output, ...results]
    }
  } catch (error) {
    return signal.aborted ? played('aborted') : { ...played('failed'), error: messageOf(error) }
  }
}

function resultOf(item: Item, calls: Call[]): object[] {
  const { type, name, call_id } = item
  if (type === 'mcp_approval_request') {
    return [{ type: 'mcp_approval_response', approval_request_id: item['id'], approve: true }]
  }
  const kind = type === 'function_call' ? 'arguments' : 'input'
  if (item['status'] !== 'completed' || (type !== 'function_call' && type !== 'custom_tool_call')) return []
  const given = String(item[kind])
  const call: Call = { name: String(name), arguments: type === 'function_call' ? JSON.parse(given) : given }
  calls.push(call)
  return [{ type: `${type}_output`, call_id, output: runTool(call.name, call.arguments) }]
}

function citationsOf(item: Item): { url: string; title: string }[] {
  const content = (item.type === 'message' ? item['content'] : []) as {
    annotations: { url: string; title: string }[]
  }[]
  return content.flatMap(({ annotations }) => annotations.map(({ url, title }) => ({ url, title })))
}
