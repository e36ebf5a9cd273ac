import { answer, call, type ScriptedPrompt, type ScriptedTurn, think } from '../../../../src/testing/index.js'

export type Json = { readonly [field: string]: unknown }

/**
 * The output of an obedient model for a request: it thinks, calls a tool if there is one without a result, and answers.
 */
export function obedientModel(request: Json): (prompt: ScriptedPrompt) => ScriptedTurn {
  return ({ messages }) => {
    const isDone = messages.at(-1)?.role === 'tool' || list(request['input']).some(isTrigger)
    const wanted = isDone ? undefined : chosenTool(request)
    if (wanted !== undefined) return [think('I need a tool.'), calling(wanted)]
    return [think('I know it.'), answer(answerTo(request, messages.at(-1)?.content ?? ''))]
  }
}

/** A request for a summary, which needs no tools. */
const isTrigger = (item: unknown): boolean => (Object(item) as Json)['type'] === 'compaction_trigger'

/** A tool that the client runs, under the name by which the model knows it. */
export interface Callable {
  readonly to: string
  readonly tool: Json
}

export function calling({ to, tool }: Callable): ReturnType<typeof call> {
  if (tool['type'] !== 'custom') return call(to, jsonOf(tool['parameters']))
  return { channel: 'commentary', to, contentType: 'code', text: 'free text', ends: 'call' }
}

export function chosenTool({ tools, tool_choice: choice }: Json): Callable | undefined {
  const callables = (list(tools) as Json[]).flatMap(callablesOf)
  if (choice === 'none') return undefined
  const { type, name, tools: allowed } = Object(choice) as Json
  if (type === 'allowed_tools') {
    const names = list(allowed).map((tool) => String((tool as Json)['name']))
    return callables.find(({ tool }) => names.includes(String(tool['name'])))
  }
  return typeof name === 'string' ? callables.find(({ tool }) => tool['name'] === name) : callables[0]
}

function callablesOf(tool: Json): Callable[] {
  const { type, name, tools } = tool
  if (type === 'function' || type === 'custom') return [{ to: `functions.${name}`, tool }]
  // The tools of its servers all have one `search`.
  if (type === 'mcp') return [{ to: `${tool['server_label']}.search`, tool: { ...tool, name: 'search' } }]
  if (type !== 'namespace') return []
  return (list(tools) as Json[]).map((own) => ({ to: `${name}.${own['name']}`, tool: own }))
}

function answerTo({ text }: Json, question: string): string {
  const { type, schema } = Object((Object(text) as Json)['format']) as Json
  if (type === 'json_schema') return JSON.stringify(jsonOf(schema))
  return type === 'json_object' ? '{}' : `You said: ${question}`
}

export const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

/** A small valid value of a JSON Schema: only required properties of objects, the first member of unions. */
export function jsonOf(schema: unknown): unknown {
  const { type, properties, required, items, enum: values, const: only, anyOf, minItems } = Object(schema) as Json
  if (only !== undefined) return only
  if (Array.isArray(values)) return values[0]
  if (Array.isArray(anyOf)) return jsonOf(anyOf[0])
  const own = Object(properties) as Json
  switch (Array.isArray(type) ? type[0] : type) {
    case 'string':
      return 'text'
    case 'integer':
    case 'number':
      return 1
    case 'boolean':
      return true
    case 'null':
      return null
    case 'array':
      return Array.from({ length: Number(minItems ?? 0) }, () => jsonOf(items))
    default:
      return Object.fromEntries(list(required).map((name) => [name, jsonOf(own[String(name)])]))
  }
}
