import type { BuiltinTool } from '../recipients/builtin-tools.js'
import { CORE_FIELDS } from './core-fields.js'
import type { EchoedFields } from './tool-fields.js'

/** The fields of every tool of openai 7.57. */
export const ALL_FIELDS: EchoedFields = {
  tools: {
    ...CORE_FIELDS.tools,
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
  } satisfies { readonly [Tool in BuiltinTool]: string } & EchoedFields['tools'],
  objects: {
    ...CORE_FIELDS.objects,
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
