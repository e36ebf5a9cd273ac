import type { Fields } from '../../shared/fields.js'
import { invalidType, invalidValue, unsupported } from '../../shared/request-error.js'
import { fieldOf, optionalTextIn, textIn } from '../../shared/request-fields.js'
import { objectIn, objectsAt } from '../body/read.js'

/** Maps a block of a user's message, or of a tool's result. */
type ReadBlock = (block: Fields, param: string) => object[]

/** Maps the blocks with content, by type. */
const BLOCKS: { readonly [type: string]: ReadBlock } = {
  text: (block, param) => [inputText(textIn(block, 'text', param))],
  image: (block, param) => [
    { type: 'input_image', image_url: addressOf(objectIn(block, 'source', param), `${param}.source`) },
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
}

function inputText(text: string): object {
  return { type: 'input_text', text }
}

/** Maps a document: a text becomes a text, anything visual an attachment, like an image. */
function readDocument(block: Fields, param: string): object[] {
  const at = `${param}.source`
  const source = objectIn(block, 'source', param)
  const type = textIn(source, 'type', at)
  const title = optionalTextIn(block, 'title', param)
  const heading = title === undefined ? [] : [inputText(title)]
  if (type === 'text') return [...heading, inputText(textIn(source, 'data', at))]
  if (type === 'content') return [...heading, ...readBlocks(fieldOf(source, 'content') ?? '', `${at}.content`)]
  const field = type === 'base64' ? 'file_data' : 'file_url'
  return [{ type: 'input_file', filename: title ?? 'document', [field]: addressOf(source, at) }]
}

/** Returns the address of an image or a document. Files that a server stores are not supported. */
function addressOf(source: Fields, param: string): string {
  const type = textIn(source, 'type', param)
  if (type === 'url') return textIn(source, 'url', param)
  if (type === 'base64') {
    return `data:${textIn(source, 'media_type', param)};base64,${textIn(source, 'data', param)}`
  }
  if (type === 'file') throw unsupported(`${param}.type`, 'stored files are')
  throw invalidValue(`${param}.type`, type, ['base64', 'url'])
}

/**
 * Maps the content of a user's message or a tool's result: a text, or a part for each block.
 *
 * @throws RequestError
 */
export function readBlocks(content: unknown, param: string): object[] {
  if (typeof content === 'string') return [inputText(content)]
  return blocksAt(content, param).flatMap((block, index) => readBlock(block, `${param}[${index}]`))
}

/** @throws RequestError */
export function readBlock(block: Fields, param: string): object[] {
  const type = textIn(block, 'type', param)
  const read = Object.hasOwn(BLOCKS, type) ? BLOCKS[type] : undefined
  if (read === undefined) throw invalidValue(`${param}.type`, type, Object.keys(BLOCKS))
  return read(block, param)
}

/** @throws RequestError */
export function blocksAt(content: unknown, param: string): readonly Fields[] {
  if (!Array.isArray(content)) throw invalidType(param, 'one of a string or array of objects', content)
  return objectsAt(content, param)
}
