import type { BuiltinTool } from '../recipients/builtin-tools.js'
import { undatedType } from '../recipients/undated-type.js'
import type { UnknownTool } from '../responses/request.js'

/** The fields of a request's tools that are echoed, each list as words. */
interface ToolFields {
  /** The fields of each type of tool besides `type` and `name`. Only these types are known. */
  readonly tools: { readonly [type: string]: string }
  /** The fields of an object inside a tool, by the name of the field that holds it. */
  readonly objects: { readonly [field: string]: string }
}

/**
 * The fields of every tool of openai 7.59 that are echoed. An allowlist, because a blocklist would miss the next secret
 * field.
 */
export const TOOL_FIELDS: ToolFields = {
  tools: {
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
  } satisfies { readonly [Tool in BuiltinTool]: string } & ToolFields['tools'],
  objects: {
    tool_choice: 'mode server_label tools',
    require_approval: 'always never',
    always: 'tool_names read_only',
    never: 'tool_names read_only',
    allowed_tools: 'tool_names read_only',
    format: 'syntax definition',
    container: 'file_ids memory_limit network_policy',
    environment: 'container_id file_ids memory_limit network_policy skills',
    network_policy: 'allowed_domains',
    skills: 'description path skill_id version',
    filters: 'key value filters allowed_domains',
    user_location: 'city country region timezone',
    ranking_options: 'ranker score_threshold hybrid_search',
    hybrid_search: 'embedding_weight text_weight',
    input_image_mask: 'file_id',
    svg: 'model reasoning',
    reasoning: 'effort',
  },
}

/** Returns the request's tool types without fields here, each once: misspelled, or newer than this library. */
export function unknownToolTypes(tools: readonly UnknownTool[]): Set<string> {
  const unknown = tools.flatMap(({ type, tools: inside = [] }: UnknownTool & { tools?: UnknownTool[] }) => [
    ...(Object.hasOwn(TOOL_FIELDS.tools, undatedType(type)) ? [] : [type]),
    ...(type === 'namespace'
      ? inside.map((tool) => tool.type).filter((each) => !/^(function|custom)$/.test(each))
      : []),
  ])
  return new Set(unknown)
}
