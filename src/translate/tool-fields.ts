import { undatedType } from '../recipients/builtin-tools.js'
import type { UnknownTool } from '../responses/request.js'

/**
 * The fields of each tool of openai 7.57 that are echoed besides `type` and `name`. An allowlist, because a list of
 * secrets would miss the next new one.
 */
export const TOOL_FIELDS: { readonly [type: string]: string } = {
  function: 'description parameters strict output_schema async defer_loading allowed_callers',
  custom: 'description format async defer_loading allowed_callers',
  namespace: 'description tools',
  mcp:
    'server_label server_url headers server_description connector_id tunnel_id allowed_tools require_approval ' +
    'defer_loading allowed_callers',
  web_search: 'filters search_context_size user_location external_web_access search_content_types',
  file_search: 'vector_store_ids filters max_num_results ranking_options',
  code_interpreter: 'container allowed_callers',
  shell: 'environment allowed_callers',
  apply_patch: 'allowed_callers',
  tool_search: 'description parameters execution',
  computer_use_preview: 'display_height display_width environment',
  image_generation:
    'action background complexity frame_count frame_duration_ms input_fidelity input_image_mask model moderation ' +
    'output_compression output_format partial_images quality size svg',
  local_shell: '',
  computer: '',
  programmatic_tool_calling: '',
}

/** The unknown tool types of a request, each once: misspelled, or newer than this library. */
export function unknownToolTypes(tools: readonly UnknownTool[]): Set<string> {
  const unknown = tools.flatMap(({ type, tools: inside = [] }: UnknownTool & { tools?: UnknownTool[] }) => [
    ...(Object.hasOwn(TOOL_FIELDS, undatedType(type)) ? [] : [type]),
    ...(type === 'namespace'
      ? inside.map((tool) => tool.type).filter((each) => !/^(function|custom)$/.test(each))
      : []),
  ])
  return new Set(unknown)
}
