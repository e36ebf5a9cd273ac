import type { NamedStream } from '../streams.js'

type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isText = (value: unknown): boolean => value === undefined || value === null || typeof value === 'string'

/**
 * Whether a stream is one that a server may well have meant: a lost word, or a finish_reason that OpenAI gives as well,
 * makes another answer of it, and a client that shows that answer is not broken. The model decides whether arguments
 * are JSON. Independent of the judge, which is measured with this.
 */
export function isGood(chunks: NamedStream['events']): boolean {
  const last = chunks.at(-1)
  const isFailure = isFields(last) && last['choices'] === undefined
  if (isFailure) {
    const { error } = last as Fields
    return isFields(error) && typeof error['message'] === 'string' && isGoodBegin(chunks.slice(0, -1)) !== undefined
  }
  return isGoodBegin(chunks)?.isOver === true
}

/** Follows the chunks of one choice; undefined where they follow none of the rules. */
function isGoodBegin(chunks: readonly unknown[]): { readonly isOver: boolean } | undefined {
  const calls: { readonly names: number }[] = []
  let [isBegun, isOld, hasUsage]: boolean[] = [false, false, false]
  let finish: unknown
  for (const chunk of chunks) {
    if (!isFields(chunk) || !Array.isArray(chunk['choices']) || hasUsage) return undefined
    if (chunk['id'] !== (chunks[0] as Fields)['id'] || chunk['error'] !== undefined) return undefined
    const { usage } = chunk
    if (usage !== undefined && usage !== null) {
      if (!isFields(usage) || (finish === undefined && chunk['choices'].length === 0)) return undefined
      const counts = [usage['prompt_tokens'], usage['completion_tokens'], usage['total_tokens']]
      if (!counts.every((count) => typeof count === 'number')) return undefined
      hasUsage = chunk['choices'].length === 0
    }
    for (const choice of chunk['choices']) {
      if (!isFields(choice) || choice['index'] !== 0 || !isFields(choice['delta']) || finish !== undefined)
        return undefined
      const { role, content, refusal, reasoning_content, reasoning, tool_calls, function_call } = choice['delta']
      if ((role === undefined || role === null) === !isBegun || (!isBegun && role !== 'assistant')) return undefined
      isBegun = true
      if (![content, refusal, reasoning_content, reasoning].every(isText)) return undefined
      if (!Array.isArray(tool_calls ?? [])) return undefined
      for (const call of (tool_calls ?? []) as unknown[]) {
        if (!isFields(call) || isOld) return undefined
        const { index, id, type } = call
        const body = (type ?? 'function') === 'custom' || 'custom' in call ? call['custom'] : call['function']
        if (!isFields(body)) return undefined
        const { name, arguments: given, input } = body
        if (!isText(given) || !isText(input)) return undefined
        const begins = typeof id === 'string' && typeof name === 'string' && id !== '' && name !== ''
        if (begins ? index !== calls.length || !/^(function|custom)$/.test(String(type)) : index !== calls.length - 1) {
          return undefined
        }
        if (!begins && (id !== undefined || name !== undefined)) return undefined
        if (/^\s*"\s*\{/.test(String(given))) return undefined
        if (begins) calls.push({ names: 1 })
      }
      if (function_call !== undefined) {
        if (!isFields(function_call) || calls.length > 0) return undefined
        const isNamed = typeof function_call['name'] === 'string' && function_call['name'] !== ''
        if (isNamed === isOld || !isText(function_call['arguments'])) return undefined
        if (isNamed && typeof function_call['arguments'] !== 'string') return undefined
        isOld = true
      }
      const { finish_reason: reason } = choice
      if (reason === undefined || reason === null) continue
      if (!/^(stop|length|content_filter|tool_calls|function_call)$/.test(String(reason))) return undefined
      if (reason === 'tool_calls' && calls.length === 0) return undefined
      if (reason === 'function_call' && !isOld) return undefined
      finish = reason
    }
  }
  return { isOver: finish !== undefined }
}
