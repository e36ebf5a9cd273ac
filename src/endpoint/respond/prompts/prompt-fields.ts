import { builtinNamed, builtinOfItem } from '../../../core/recipients/builtin-tools.js'
import { recipientKey } from '../../../core/recipients/recipient.js'
import type { ResponseRequest } from '../../../core/responses/request.js'
import type { PromptFields, PromptFormat, PromptImage, PromptTool } from '../../../engines/contract/prompt-fields.js'
import { type Fields, fieldsOf, isFields } from '../../../shared/fields.js'
import { createWork, type Slices } from '../../../shared/slices.js'
import type { PromptRecord } from '../../journal/entry.js'
import { imageMark } from '../../prompt/attachments.js'
import { builtinNamespaces } from '../../prompt/builtin-namespaces.js'
import { developerTextInSlices } from '../../prompt/developer-text.js'
import { formatsOf } from '../../prompt/prompt-messages.js'
import type { TaughtTools } from '../../prompt/taught-tools.js'
import type { TaughtTool } from '../../prompt/tool-namespace.js'
import { toolsSectionInSlices } from '../../prompt/tools-section.js'
import { strictParts } from '../strict/strict-parts.js'

/**
 * Returns what the prompts of a request tell the model, as fields: for an engine that takes messages. Only the demand is not
 * among it, which holds for one turn.
 *
 * @param request - with the operator's additions and the tools of its conversation
 * @param tools - which its prompts teach
 */
export function* readPromptFields(
  request: ResponseRequest,
  tools: TaughtTools,
  { identity, images: reading }: Pick<PromptRecord, 'identity' | 'images'>,
): Slices<PromptFields> {
  const work = createWork()
  const { parallel_tool_calls: isParallel, reasoning, text, truncation } = request
  const format = readFormat(text?.format)
  const head = yield* developerTextInSlices(
    { namespaces: tools.head.namespaces, formats: formatsOf(request as object as Fields) },
    work,
  )
  const lessons = head === undefined ? [] : [head]
  for (const namespaces of tools.later.values()) lessons.push(yield* toolsSectionInSlices(namespaces, work))
  const { effort } = reasoning ?? {}
  const images: Record<string, PromptImage> = {}
  for (const item of reading === 'seen' && Array.isArray(request.input) ? request.input : []) {
    addImages(item, images)
    work.left -= 1
    if (work.left <= 0) yield* work.pause()
  }
  return {
    tools: readTools(request, tools),
    isParallel: isParallel ?? true,
    lessons,
    ...(format && { format }),
    ...(truncation === 'auto' && { truncates: true }),
    ...(effort != null && { effort }),
    ...(Object.keys(images).length > 0 && { images }),
    ...(identity !== undefined && { identity }),
  }
}

function readTools(request: ResponseRequest, tools: TaughtTools): PromptTool[] {
  const parts = strictParts(request, tools.choice)
  const strictness = new Map(parts.map(({ body, isAsked }) => [body, isAsked]))
  const toolOf = (recipient: string, { description, parameters }: Omit<TaughtTool, 'name'>): PromptTool => {
    const callee = tools.classify(recipient, undefined)
    const builtin = builtinOfItem(callee.kind)
    const body = parameters === 'text' ? 'text' : builtin === undefined ? 'json' : builtinNamed(builtin).body
    const isStrict = strictness.get(recipientKey(callee))
    return {
      recipient,
      body,
      ...(description != null && description !== '' && { description }),
      ...(body === 'json' && isFields(parameters) && { parameters }),
      ...(isStrict !== undefined && { strict: isStrict }),
    }
  }
  const namespaces = [...tools.namespaces, ...builtinNamespaces(tools.builtins)]
  const all = namespaces.flatMap(({ name, description, tools }) =>
    // A namespace without tools is a tool itself.
    tools.length === 0 ? [toolOf(name, { description })] : tools.map((tool) => toolOf(`${name}.${tool.name}`, tool)),
  )
  return [...new Map(all.map((tool) => [tool.recipient, tool])).values()]
}

/** Adds the images of a message, or of a tool's output. */
function addImages(item: unknown, images: Record<string, PromptImage>): void {
  const { content, output } = fieldsOf(item)
  for (const part of [content, output].flat()) {
    const { type, image_url: url, detail } = fieldsOf(part)
    if (!IMAGES.includes(type) || typeof url !== 'string') continue
    images[imageMark(url)] = { url, ...(typeof detail === 'string' && { detail }) }
  }
}

const IMAGES: readonly unknown[] = ['input_image', 'computer_screenshot']

function readFormat(format: unknown): PromptFormat | undefined {
  const { type, name, description, schema, strict } = Object(format) as Fields
  if (type === 'json_object') return { name: type }
  if (type !== 'json_schema') return undefined
  return {
    name: String(name),
    ...(typeof description === 'string' && { description }),
    ...(isFields(schema) && { schema }),
    ...(typeof strict === 'boolean' && { strict }),
  }
}
