import type { UnknownTool } from '../responses/request.js'

/** The types of tools that openai 7.57 knows, those with a date by their form. */
const KNOWN =
  /^(function|custom|namespace|mcp|(local_)?shell|apply_patch|code_interpreter|file_search|tool_search|image_generation|programmatic_tool_calling|computer(_use_preview)?|web_search(_preview)?(_\d{4}_\d\d_\d\d)?)$/

/** What a namespace may have in it. */
const INSIDE = /^(function|custom)$/

/** The types of a request's tools that nobody knows, each once: misspelled, or newer than this library. */
export function unknownToolTypes(tools: readonly UnknownTool[]): Set<string> {
  const unknown = tools.flatMap(({ type, tools: inside = [] }: UnknownTool & { tools?: UnknownTool[] }) => [
    ...(KNOWN.test(type) ? [] : [type]),
    ...(type === 'namespace' ? inside.map((tool) => tool.type).filter((each) => !INSIDE.test(each)) : []),
  ])
  return new Set(unknown)
}
