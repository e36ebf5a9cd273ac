import { BodyDraft } from '../body/draft.js'
import type { MessageAnswerOptions } from './answer-options.js'

/** What a body becomes, while it is read. */
export class Draft extends BodyDraft {
  answer: MessageAnswerOptions = {}

  constructor() {
    super(partOf)
  }
}

/** A path within the content of a message: images and documents have their source as an object. */
function partOf(path: string): string {
  return path.replace(/^(content\[\d+\])\.(image_url|file_data|file_url|file_id)$/, '$1.source')
}
