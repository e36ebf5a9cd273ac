import type { RequestTool, UnknownTool } from '../../../core/responses/request.js'

type Tools = readonly (RequestTool | UnknownTool)[]
type Loose = UnknownTool & { readonly strict?: boolean | null; readonly tools?: Tools }

/**
 * Returns the tools of a request with an explicit `strict` in each function: as in OpenAI's Responses API, functions
 * are strict by default.
 *
 * @param isEnforced - whether its schema is enforced, by the path of its parameters: `tools[2].parameters`
 */
export function resolveStrict(tools: Tools, isEnforced: (param: string) => boolean, at = 'tools'): UnknownTool[] {
  return tools.map((tool, index) => {
    const { type, strict, tools: members } = Object(tool) as Loose
    const path = `${at}[${index}]`
    if (type === 'namespace' && Array.isArray(members)) {
      return { ...tool, tools: resolveStrict(members, isEnforced, `${path}.tools`) }
    }
    if (type !== 'function' || (strict ?? undefined) !== undefined) return tool
    return { ...tool, strict: isEnforced(`${path}.parameters`) }
  })
}
