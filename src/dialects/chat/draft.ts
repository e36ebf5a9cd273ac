import { BodyDraft } from '../body/draft.js'
import type { ChatAnswerOptions } from './answer-options.js'
import type { ChatRequestOptions } from './request-options.js'

/** A request under construction, filled from a body. */
export class Draft extends BodyDraft {
  answer: ChatAnswerOptions = {}
  readonly options: ChatRequestOptions

  constructor(options: ChatRequestOptions) {
    super(partOf, options)
    this.options = options
  }
}

/** Returns a path within the content of a message, whose images and files are nested one level deeper here. */
function partOf(path: string): string {
  return path
    .replace(/^(content\[\d+\])\.image_url$/, '$1.image_url.url')
    .replace(/^(content\[\d+\])\.detail$/, '$1.image_url.detail')
    .replace(/^(content\[\d+\])\.(file_data|file_id|filename)$/, '$1.file.$2')
}
