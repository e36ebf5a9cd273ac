import type { UnknownTool } from '../responses/request.js'

/** The tool types of openai 7.57; dated types are matched by their form. */
const KNOWN =
  /^(function|custom|namespace|mcp|(local_)?shell|apply_patch|code_interpreter|file_search|tool_search|image_generation|programmatic_tool_calling|computer(_use_preview)?|web_search(_preview)?(_\d{4}_\d\d_\d\d)?)$/

/** The tool types that a namespace may contain. */
const INSIDE = /^(function|custom)$/

/** The unknown tool types of a request, each once: misspelled, or newer than this library. */
export function unknownToolTypes(tools: readonly UnknownTool[]): Set<string> {
  const unknown = tools.flatMap(({ type, tools: inside = [] }: UnknownTool & { tools?: UnknownTool[] }) => [
    ...(KNOWN.test(type) ? [] : [type]),
    ...(type === 'namespace' ? inside.map((tool) => tool.type).filter((each) => !INSIDE.test(each)) : []),
  ])
  return new Set(unknown)
}
