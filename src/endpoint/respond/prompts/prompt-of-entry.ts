import type { ResponseRequest } from '../../../core/responses/request.js'
import type { Entry, OpenEntry } from '../../journal/entry.js'
import type { TranslateEntriesOptions } from '../options.js'
import { ResolvedResponse } from '../resolved-response.js'
import { promptAgain, type Rendered } from './first-prompt.js'
import type { FirstPrompt } from './prompt-ids.js'

/**
 * Renders the first prompt of a response again, for those who want to read it.
 *
 * @param request - the request with its whole conversation
 * @throws HarmonyResponsesError `prompt_differs`, like {@link promptAgain}
 */
export async function promptOfEntry(
  request: ResponseRequest,
  open: OpenEntry & Entry,
  options: TranslateEntriesOptions & Rendered,
): Promise<FirstPrompt> {
  const resolved = new ResolvedResponse(options)
  const { fold } = resolved
  try {
    fold.apply(open, open.at)
    return await promptAgain(request, open, () => resolved.taught(request), options)
  } finally {
    fold.dispose()
  }
}
