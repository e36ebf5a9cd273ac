import type { z } from 'zod'
import type { InputAgentPart } from '../../../../core/responses/input-content.js'
import type {
  InputAdditionalTools,
  InputAgentMessage,
  InputApplyPatchCall,
  InputApplyPatchCallOutput,
  InputCompaction,
  InputCompactionTrigger,
  InputComputerCall,
  InputComputerCallOutput,
  InputConfigurationUpdate,
  InputFileSearchCall,
  InputImageGenerationCall,
  InputMultiAgentCall,
  InputMultiAgentCallOutput,
  InputProgram,
  InputProgramOutput,
  InputToolSearchCall,
  InputToolSearchOutput,
} from '../../../../core/responses/other-input-items.js'
import { TEXT_OR_OBJECTS } from '../../../../shared/request-fields.js'
import {
  anything,
  byType,
  decimal,
  either,
  flag,
  key,
  list,
  loose,
  object,
  oneOf,
  optional,
  orNull,
  record,
  text,
  texts,
  typed,
} from '../builders.js'
import { CONTENT, readablePart } from '../content.js'
import { effort } from '../reasoning.js'
import { textFormat } from '../text-format.js'
import { tools } from '../tools.js'
import { caller, execution, id, status } from './common.js'

export const additionalTools: z.ZodType<InputAdditionalTools> = typed('additional_tools', {
  id,
  role: oneOf('developer'),
  tools,
})

const parts = list<InputAgentPart>(
  'objects',
  byType<InputAgentPart>({
    ...CONTENT,
    text: typed('text', { text }),
    encrypted_content: typed('encrypted_content', { encrypted_content: text }),
  }),
  readablePart,
)

export const agentMessage: z.ZodType<InputAgentMessage> = typed('agent_message', {
  id,
  author: optional(text),
  recipient: optional(text),
  content: parts,
})

export const multiAgentCall: z.ZodType<InputMultiAgentCall> = typed('multi_agent_call', {
  id,
  call_id: optional(text),
  action: text,
  arguments: text,
})

export const multiAgentCallOutput: z.ZodType<InputMultiAgentCallOutput> = typed('multi_agent_call_output', {
  id,
  call_id: optional(text),
  action: text,
  output: either(TEXT_OR_OBJECTS, text, parts),
})

export const applyPatchCall: z.ZodType<InputApplyPatchCall> = typed('apply_patch_call', {
  id,
  call_id: key,
  operation: byType<InputApplyPatchCall['operation']>({
    create_file: typed('create_file', { path: text, diff: text }),
    update_file: typed('update_file', { path: text, diff: text }),
    delete_file: typed('delete_file', { path: text }),
  }),
  caller,
  status,
})

export const applyPatchCallOutput: z.ZodType<InputApplyPatchCallOutput> = typed('apply_patch_call_output', {
  id,
  call_id: key,
  output: optional(text),
  caller,
  status: oneOf('completed', 'failed'),
})

export const compaction: z.ZodType<InputCompaction> = typed('compaction', { id, encrypted_content: text })

export const compactionTrigger: z.ZodType<InputCompactionTrigger> = typed('compaction_trigger', { id })

const action = loose({ type: text })
const safetyChecks = list('objects', object({ id: text, code: optional(text), message: optional(text) }))

export const computerCall: z.ZodType<InputComputerCall> = typed('computer_call', {
  id,
  call_id: key,
  action: optional(action),
  actions: optional(list('objects', action)),
  pending_safety_checks: optional(safetyChecks),
  status,
})

export const computerCallOutput: z.ZodType<InputComputerCallOutput> = typed('computer_call_output', {
  id,
  call_id: key,
  output: typed('computer_screenshot', { file_id: optional(text), image_url: optional(text) }),
  acknowledged_safety_checks: optional(safetyChecks),
  status,
})

export const configurationUpdate: z.ZodType<InputConfigurationUpdate> = typed('configuration_update', {
  id,
  reasoning: optional(object({ effort: optional(effort) })),
  text: optional(object({ format: textFormat })),
})

const attribute = either('one of a string, decimal, or boolean', text, either('a decimal or boolean', decimal, flag))

export const fileSearchCall: z.ZodType<InputFileSearchCall> = typed('file_search_call', {
  id,
  queries: texts,
  results: optional(
    list(
      'objects',
      object({
        attributes: optional(record(attribute)),
        file_id: optional(text),
        filename: optional(text),
        score: optional(decimal),
        text: optional(text),
      }),
    ),
  ),
  status,
})

// Details of how the image was generated are passed on unchanged.
export const imageGenerationCall: z.ZodType<InputImageGenerationCall> = loose({
  type: oneOf('image_generation_call'),
  id,
  result: orNull(text),
  revised_prompt: optional(text),
  status,
})

export const program: z.ZodType<InputProgram> = typed('program', { id, call_id: key, code: text, fingerprint: text })

export const programOutput: z.ZodType<InputProgramOutput> = typed('program_output', {
  id,
  call_id: key,
  result: text,
  status: oneOf('completed', 'incomplete'),
})

export const toolSearchCall: z.ZodType<InputToolSearchCall> = typed('tool_search_call', {
  id,
  call_id: optional(text),
  arguments: anything,
  execution,
  status,
})

export const toolSearchOutput: z.ZodType<InputToolSearchOutput> = typed('tool_search_output', {
  id,
  call_id: optional(text),
  tools,
  execution,
  status,
})
