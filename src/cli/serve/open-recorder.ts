import { SPECIAL } from '../../harmony/vocabulary.js'
import { encoderOf } from '../../tokens/encoder.js'
import type { TokenTable } from '../../tokens/token-table.js'
import { complaint, type Io, UsageError, unreadable } from '../io.js'
import { createRecorder, type MadeRecording, type Recorder } from './recorder.js'
import type { ServeSettings } from './settings.js'

/**
 * Makes the folder of `--record`.
 *
 * @throws UsageError if nothing can be written in it: better before the first response than after it
 */
export async function openRecordings({ recordings: folder }: ServeSettings, io: Io): Promise<void> {
  if (folder === undefined) return
  try {
    await io.makeFolder(folder)
  } catch (error) {
    throw new UsageError(`--record: ${unreadable(folder, error, 'write').message}`, { cause: error })
  }
}

/** The recorder of `--record`, which writes a file for each response; undefined without the option. */
export function openRecorder(
  { recordings: folder, policy, reasoning }: ServeSettings,
  tokenTable: TokenTable,
  io: Io,
): Recorder | undefined {
  if (folder === undefined) return undefined
  const write = ({ fixture, lacks }: MadeRecording): void => {
    const file = `${folder.replace(/\/$/, '')}/${fixture.name}.json`
    const saved = io.writeFile(file, [`${JSON.stringify(fixture)}\n`])
    // Not awaited: a full disk must not keep an answer.
    saved.catch((error: unknown) => io.complain(complaint(unreadable(file, error, 'write'))))
    if (lacks !== undefined) io.complain(complaint(new Error(`--record ${fixture.name}: the recording lacks ${lacks}`)))
  }
  const beginning = [SPECIAL.start, ...encoderOf(tokenTable)('assistant')]
  return createRecorder(beginning, { policy, reasoning, citations: true }, write)
}
