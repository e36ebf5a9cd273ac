import { SPECIAL } from '../../core/harmony/vocabulary.js'
import { encoderOf } from '../../core/tokens/encoder.js'
import type { TokenTable } from '../../core/tokens/token-table.js'
import { inFolder } from '../../shared/system/platform/paths.js'
import { complaint, type Io, unreadable } from '../io.js'
import { createRecorder, type MadeRecording, type Recorder } from './recorder.js'
import type { ServeSettings } from './settings.js'

/**
 * Opens the recorder of `--record`, which writes a file for each response; undefined without the option. @throws
 * UsageError if the folder is not writable
 */
export async function openRecorder(
  { record: folder, policy, reasoning }: ServeSettings,
  tokenTable: TokenTable,
  io: Io,
): Promise<Recorder | undefined> {
  if (folder === undefined) return undefined
  await io.makeFolder(folder).catch((error: unknown) => {
    throw unreadable(folder, error, 'write')
  })
  const write = ({ fixture, lacks }: MadeRecording): void => {
    const file = inFolder(folder, `${fixture.name}.json`)
    const saved = io.writeFile(file, [`${JSON.stringify(fixture)}\n`])
    // Not awaited: a full disk must not delay an answer.
    saved.catch((error: unknown) => io.complain(complaint(unreadable(file, error, 'write'))))
    if (lacks !== undefined) io.complain(complaint(new Error(`--record ${fixture.name}: the recording lacks ${lacks}`)))
  }
  const beginning = [SPECIAL.start, ...encoderOf(tokenTable)('assistant')]
  return createRecorder(beginning, { policy, ...(reasoning && { reasoning }), citations: true }, write)
}
