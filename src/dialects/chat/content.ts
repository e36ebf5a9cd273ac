import { readableText } from '../../core/diagnostics/unknown-parts.js'
import type { Fields } from '../../shared/fields.js'
import { invalidType, missingParameter } from '../../shared/request-error.js'
import { fieldOf, objectIn, objectsAt, TEXT_OR_OBJECTS, textIn } from '../../shared/request-fields.js'
import type { BodyDraft } from '../body/draft.js'
import { renamed } from '../body/renamed.js'

/** Maps a content part. @param text - the type of a text: the client's or the model's */
type ReadPart = (part: Fields, param: string, text: TextType) => object

type TextType = 'input_text' | 'output_text'

/** The content parts of Chat Completions. */
const PARTS: { readonly [type: string]: ReadPart } = {
  text: (part, _, type) => ({ type, ...renamed(part, { text: 'text', ...(type === 'input_text' && BREAKPOINT) }) }),
  image_url: (part, param) => ({
    type: 'input_image',
    ...renamed(objectIn(part, 'image_url', param), { url: 'image_url', detail: 'detail' }),
    ...renamed(part, BREAKPOINT),
  }),
  file: (part, param) => ({
    type: 'input_file',
    ...renamed(objectIn(part, 'file', param), { file_data: 'file_data', file_id: 'file_id', filename: 'filename' }),
    ...renamed(part, BREAKPOINT),
  }),
  refusal: (part) => ({ type: 'refusal', ...renamed(part, { refusal: 'refusal' }) }),
  // The Responses API takes audio only as a file. As for any file, its place determines whether it is refused.
  input_audio: (part, param) => {
    const at = `${param}.input_audio`
    const audio = objectIn(part, 'input_audio', param)
    return {
      type: 'input_file',
      file_data: textIn(audio, 'data', at),
      filename: `audio.${textIn(audio, 'format', at)}`,
    }
  },
}

const BREAKPOINT: { readonly [field: string]: string } = { prompt_cache_breakpoint: 'prompt_cache_breakpoint' }

/**
 * Returns the content of a message: a text unchanged, or a list with an entry for each part. Undefined if there is
 * none.
 *
 * @throws RequestError
 */
export function contentIn(
  message: Fields,
  param: string,
  type: TextType,
  draft: BodyDraft,
): string | object[] | undefined {
  const content = fieldOf(message, 'content')
  if (content === undefined || typeof content === 'string') return content
  const path = `${param}.content`
  return objectsAt(content, path, TEXT_OR_OBJECTS).map((part, index) => {
    const at = `${path}[${index}]`
    const name = textIn(part, 'type', at)
    const read = Object.hasOwn(PARTS, name) ? PARTS[name] : undefined
    if (read !== undefined) return read(part, at, type)
    draft.skipContent(at, name, Object.keys(PARTS))
    return { type, text: readableText({ ...part, type: name }) }
  })
}

/** Returns {@link contentIn} of a message that requires a content. @throws RequestError */
export function requiredContentIn(message: Fields, param: string, draft: BodyDraft): string | object[] {
  const content = contentIn(message, param, 'input_text', draft)
  if (content !== undefined) return content
  const isNull = Object.hasOwn(message, 'content')
  throw isNull ? invalidType(`${param}.content`, TEXT_OR_OBJECTS, null) : missingParameter(`${param}.content`)
}
