import type { Includable } from '../../core/responses/request-parameters.js'

/** The values of `include`. */
export const INCLUDABLE: readonly Includable[] = [
  'file_search_call.results',
  'web_search_call.results',
  'web_search_call.action.sources',
  'message.input_image.image_url',
  'computer_call_output.output.image_url',
  'code_interpreter_call.outputs',
  'reasoning.encrypted_content',
  'message.output_text.logprobs',
]
