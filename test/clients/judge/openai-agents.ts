import {
  Agent,
  type AgentInputItem,
  applyPatchTool,
  hostedMcpTool,
  OpenAIResponsesModel,
  programmaticToolCallingTool,
  Runner,
  shellTool,
  type Tool,
  tool,
  toolNamespace,
  toolSearchTool,
} from '@openai/agents'
import { answeredWith, parsed } from './openai.js'
import { bodyOf, type Outcome, type Replayer } from './replay.js'

/** A run of an agent that has all tools that the stream calls. Its later requests are answered. */
export const openaiAgentsReplayer: Replayer = {
  client: 'openai-agents',
  async replay(body) {
    const ran: Call[] = []
    const asked: { name: string; namespace?: string | undefined; arguments: string }[] = []
    const citations: string[] = []
    const shown = { streamed: '', final: '', reasoning: '' }
    const client = answeredWith(body, bodyOf(SECOND_TURN))
    const items = itemsIn(body)
    let isFirstTurn = true
    try {
      const agent = new Agent({
        name: 'agent',
        model: new OpenAIResponsesModel(client as never, 'model'),
        tools: toolsFor(items, ran),
      })
      const run = await new Runner({ tracingDisabled: true }).run(agent, inputFor(items), { stream: true })
      for await (const event of run) {
        if (event.type === 'raw_model_stream_event') {
          const { data } = event
          if (data.type === 'response_started') isFirstTurn &&= responseId(data.providerData) !== SECOND
          if (data.type === 'output_text_delta' && isFirstTurn) shown.streamed += data.delta
        }
        if (event.type !== 'run_item_stream_event' || !isFirstTurn) continue
        const { item } = event
        if (item.type === 'reasoning_item') {
          shown.reasoning += item.rawItem.content.map(({ text }) => text).join('')
        }
        if (item.type === 'tool_call_item' && item.rawItem.type === 'function_call') asked.push(item.rawItem)
        if (item.type !== 'message_output_item') continue
        for (const part of item.rawItem.content) {
          if (part.type !== 'output_text') continue
          shown.final += part.text
          citations.push(...sourcesOf(part.providerData?.['annotations']))
        }
      }
      await run.completed
      return { ...shown, calls: callsOf(asked, ran), citations, ending: 'completed' }
    } catch (error) {
      const said = error instanceof Error ? error.message : String(error)
      return { ...shown, calls: [], citations, ending: 'threw', error: said }
    }
  },
}

type Call = Outcome['calls'][number]

/** The tools that were run. A call with invalid JSON is not run: the model gets an error as its result. */
function callsOf(
  asked: readonly { name: string; namespace?: string | undefined; arguments: string }[],
  ran: Call[],
): Call[] {
  const rest = [...ran]
  return asked.flatMap(({ name, namespace, arguments: given }) => {
    if (typeof parsed(given) !== 'string' || given.trim().startsWith('"')) return rest.splice(0, 1)
    return [{ name: namespace ? `${namespace}.${name}` : name, arguments: given }]
  })
}

const SECOND = 'resp_second'

const ANSWER = {
  id: 'msg_second',
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: 'Done.', annotations: [] }],
}

/** The fields that the SDK reads of an answer. */
const SECOND_TURN = [
  { type: 'response.created', response: { id: SECOND, output: [] } },
  { type: 'response.completed', response: { id: SECOND, status: 'completed', output: [ANSWER] } },
]

const responseId = (data: unknown): unknown => (data as { response?: { id?: unknown } } | undefined)?.response?.id

function sourcesOf(annotations: unknown): string[] {
  return (Array.isArray(annotations) ? annotations : []).flatMap((annotation) => {
    const source = annotation?.url ?? annotation?.file_id
    return typeof source === 'string' && source !== '' ? [source] : []
  })
}

interface Item {
  readonly type?: unknown
  readonly name?: unknown
  readonly namespace?: unknown
  readonly server_label?: unknown
  readonly execution?: unknown
}

/** A tool without a namespace was found by a search, which the run must have declared. */
function inputFor(items: readonly Item[]): AgentInputItem[] {
  const found = items.filter(isFound).map(({ name }) => ({ type: 'function', name, deferLoading: true }))
  return [
    { role: 'user', content: 'Hello' },
    ...(found.length > 0
      ? [{ type: 'tool_search_output' as const, toolSearchAgentName: 'agent', status: 'completed', tools: found }]
      : []),
  ]
}

const isFound = ({ type, name, namespace }: Item): boolean =>
  type === 'function_call' && typeof name === 'string' && name !== '' && name === namespace

/** All items of a stream, wherever they are. */
function itemsIn(body: string): Item[] {
  return body
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice('data: '.length)) as { item?: unknown; response?: { output?: unknown } })
    .flatMap(({ item, response }) => [item, ...(Array.isArray(response?.output) ? response.output : [])])
    .filter((item): item is Item => typeof item === 'object' && item !== null)
}

function toolsFor(items: readonly Item[], calls: Call[]): Tool[] {
  const functions = new Map<string, Map<string, ReturnType<typeof functionTool>>>()
  const servers = new Set<string>()
  let [hasProgram, hasPatch] = [false, false]
  let searches: 'client' | 'server' | undefined
  for (const item of items) {
    const { type, name, namespace, server_label: server, execution } = item
    if (type === 'function_call' && typeof name === 'string' && name !== '') {
      const within = typeof namespace === 'string' ? namespace : ''
      const isOwn = within === name
      const group = isOwn ? '' : within
      const made = functionTool(name, within, calls)
      const named = functions.get(group) ?? new Map()
      functions.set(group, named.set(`${isOwn} ${name}`, isOwn ? Object.assign(made, { deferLoading: true }) : made))
    }
    if (typeof server === 'string') servers.add(server)
    if (type === 'tool_search_call' || isFound(item))
      // If one of them is damaged, the application still declares the undamaged tool.
      searches = execution === 'client' || searches === 'client' ? 'client' : 'server'
    if (type === 'program') hasProgram = true
    if (type === 'apply_patch_call') hasPatch = true
  }
  const namespaced = [...functions].flatMap(([name, named]): Tool[] =>
    name === '' ? [...named.values()] : toolNamespace({ name, description: name, tools: [...named.values()] }),
  )
  const patched = async () => ({ status: 'completed' as const, output: '' })
  return [
    ...namespaced,
    ...[...servers].map((serverLabel) =>
      hostedMcpTool({
        serverLabel,
        serverUrl: 'http://mcp.invalid',
        requireApproval: 'always',
        onApproval: async () => ({ approve: true }),
      }),
    ),
    shellTool({ environment: { type: 'container_auto' } }),
    ...(searches === 'client' ? [toolSearchTool({ execution: 'client', execute: async () => [] })] : []),
    ...(searches === 'server' ? [toolSearchTool()] : []),
    ...(hasProgram ? [programmaticToolCallingTool()] : []),
    ...(hasPatch
      ? [applyPatchTool({ editor: { createFile: patched, updateFile: patched, deleteFile: patched } })]
      : []),
  ]
}

function functionTool(name: string, within: string, calls: Call[]) {
  const made = tool({
    name: 'tool',
    description: 'A tool.',
    parameters: { type: 'object', properties: {}, required: [], additionalProperties: true },
    strict: false,
    execute: (input: unknown) => {
      calls.push({ name: within === '' ? name : `${within}.${name}`, arguments: input })
      return 'Done.'
    },
  })
  // It rewrites a name with characters that OpenAI refuses, and then would not find the tool.
  return Object.assign(made, { name, allowedCallers: ['direct', 'programmatic'] })
}
