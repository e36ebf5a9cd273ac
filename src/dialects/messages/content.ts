import { readableText } from '../../core/diagnostics/unknown-parts.js'
import type { Fields } from '../../shared/fields.js'
import { invalidValue } from '../../shared/request-error.js'
import { fieldOf, objectIn, objectsAt, optionalTextIn, TEXT_OR_OBJECTS, textIn } from '../../shared/request-fields.js'

/** Maps a block of a user's message, or of a tool's result. */
type ReadBlock = (block: Fields, param: string, skip: SkipContent) => object[]

/** Maps the blocks with content, by type. */
const BLOCKS: { readonly [type: string]: ReadBlock } = {
  text: (block, param) => [inputText(textIn(block, 'text', param))],
  image: (block, param) => [
    { type: 'input_image', ...placeOf(objectIn(block, 'source', param), 'image_url', `${param}.source`) },
  ],
  document: readDocument,
  search_result: (block, param) => {
    const lines = [optionalTextIn(block, 'title', param), optionalTextIn(block, 'source', param)]
    const texts = objectsAt(fieldOf(block, 'content') ?? [], `${param}.content`).map((part, at) =>
      textIn(part, 'text', `${param}.content[${at}]`),
    )
    return [inputText([...lines, ...texts].filter((line) => line).join('\n'))]
  },
  // The name of a tool that a search found, which is taught after the result.
  tool_reference: (block, param) => [inputText(`Found the tool ${textIn(block, 'tool_name', param)}.`)],
  // A file in a container of another server, which no tool here can open.
  container_upload: (block, param) => [inputText(`[file ${textIn(block, 'file_id', param)}]`)],
}

/** Leaves content of an unknown type out. @throws RequestError if that is refused */
export type SkipContent = (path: string, type: string, known: readonly string[]) => void

function inputText(text: string): object {
  return { type: 'input_text', text }
}

/** Maps a document: a text becomes a text, anything visual an attachment, like an image. */
function readDocument(block: Fields, param: string, skip: SkipContent): object[] {
  const at = `${param}.source`
  const source = objectIn(block, 'source', param)
  const type = textIn(source, 'type', at)
  const title = optionalTextIn(block, 'title', param)
  const heading = title === undefined ? [] : [inputText(title)]
  if (type === 'text') return [...heading, inputText(textIn(source, 'data', at))]
  if (type === 'content') return [...heading, ...readBlocks(fieldOf(source, 'content') ?? '', `${at}.content`, skip)]
  const field = type === 'base64' ? 'file_data' : 'file_url'
  return [{ type: 'input_file', filename: title ?? 'document', ...placeOf(source, field, at) }]
}

/** Returns where an image or a document is: its address, in this field, or the id of a stored file. */
function placeOf(source: Fields, field: string, param: string): object {
  const type = textIn(source, 'type', param)
  if (type === 'file') return { file_id: textIn(source, 'file_id', param) }
  if (type === 'url') return { [field]: textIn(source, 'url', param) }
  if (type === 'base64') {
    return { [field]: `data:${textIn(source, 'media_type', param)};base64,${textIn(source, 'data', param)}` }
  }
  throw invalidValue(`${param}.type`, type, ['base64', 'url', 'file'])
}

/**
 * Maps the content of a user's message or a tool's result: a text, or a part for each block.
 *
 * @throws RequestError
 */
export function readBlocks(content: unknown, param: string, skip: SkipContent): object[] {
  if (typeof content === 'string') return [inputText(content)]
  return objectsAt(content, param, TEXT_OR_OBJECTS).flatMap((block, index) =>
    readBlock(block, `${param}[${index}]`, skip),
  )
}

/** Maps a block: of an unknown one that is skipped, the model reads the text, or the type. @throws RequestError */
export function readBlock(block: Fields, param: string, skip: SkipContent): object[] {
  const type = textIn(block, 'type', param)
  const read = Object.hasOwn(BLOCKS, type) ? BLOCKS[type] : undefined
  if (read !== undefined) return read(block, param, skip)
  skip(param, type, Object.keys(BLOCKS))
  return [inputText(readableText({ ...block, type }))]
}
