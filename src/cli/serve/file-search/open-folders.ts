import { nextTurn } from '../../../endpoint/flow/next-turn.js'
import { fileSearch } from '../../../endpoint/tools/file-search.js'
import { createPace } from '../../../shared/slices.js'
import { counted } from '../../counted.js'
import { UsageError } from '../../io.js'
import type { HostedTool } from '../hosted-tool.js'
import type { FolderChoice } from '../settings.js'
import { readFolderFiles } from './folder-files.js'
import { FolderIndex } from './folder-index.js'

/** Indexes the folders of `--file-search`, once; undefined without any. @throws UsageError */
export async function openFolders(choices: readonly FolderChoice[]): Promise<HostedTool | undefined> {
  if (choices.length === 0) return undefined
  const indexes = new Map<string, FolderIndex>()
  const about: string[] = []
  for (const { folder, storeId } of choices) {
    const { files, leftOut } = await readFolderFiles(folder)
    if (files.length === 0)
      throw new UsageError(`--file-search ${folder}: expected .md, .markdown or .txt files in UTF-8`)
    const index = new FolderIndex(storeId)
    const pace = createPace(nextTurn)
    for (const file of files) await index.add(file, pace)
    indexes.set(storeId, index)
    const others = leftOut === 0 ? '' : `; left out ${counted(leftOut, 'other file')}`
    about.push(
      `file_search: ${storeId} has ${counted(files.length, 'file')} of ${folder}, ${counted(index.size, 'passage')}${others}`,
    )
  }
  const ids = [...indexes.keys()]
  const tool = fileSearch(async (queries, filters, { vectorStoreIds, maxResults, signal }) => {
    const pace = createPace(nextTurn, signal)
    const found = []
    for (const id of new Set(vectorStoreIds)) {
      const index = indexes.get(id)
      if (index === undefined) {
        const known = `expected vector stores of --file-search, which are ${ids.join(', ')}`
        throw new Error(`file_search: ${known}; got ${JSON.stringify(id.slice(0, 80))}`)
      }
      for (const result of await index.search(queries, filters, maxResults, pace)) found.push(result)
    }
    return found.sort((one, other) => (other.score ?? 0) - (one.score ?? 0)).slice(0, maxResults)
  })
  return { tool, declaration: { type: 'file_search', vector_store_ids: ids }, about }
}
